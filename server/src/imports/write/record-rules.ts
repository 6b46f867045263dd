import { hash } from 'node:crypto';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { ImportFigures } from '#db/tables/imports.ts';
import type { Secrets } from '#secrets.ts';
import type { ImportKind, Report } from '../report.ts';

/** Kinds that other records refer to. */
export const linkedKinds = ['user', 'token', 'channel', 'gateway'] as const satisfies readonly ImportKind[];
export type LinkedKind = (typeof linkedKinds)[number];

/** One run of an import. */
export interface ImportRun {
  db: Kysely<Tables>;
  secrets: Secrets;
  /** The operator's name for the old database. */
  source: string;
  /** Number of the run, from 1. */
  run: number;
  /** False: nothing is written. */
  apply: boolean;
  now: number;
  basePath: string;
  /** In whose name entries are posted. */
  actorId: number;
  remark: string;
  report: Report;
  /** New ids by old ids; below zero for records that a dry run would make. */
  ids: Record<LinkedKind, Map<number, number>>;
  /** Users of the old side by their old id, also those that do not come. */
  owners: Map<number, OldOwner>;
  /** Whether accounts with administrator rights come, and keep them. */
  administrators: boolean;
  /** Whether settings that decide about security come. */
  securitySettings: boolean;
  /** New accounts and codes wait for the last run. */
  pending: boolean;
  progress: (kind: ImportKind, done: number) => void;
}

export interface OldOwner {
  group: string;
  enabled: boolean;
  /** Has administrator rights there. */
  privileged: boolean;
  /** The row could not be read. */
  lost: boolean;
}

export type RecordRow = Pick<
  Selectable<Tables['import_records']>,
  'old_id' | 'new_id' | 'old_state' | 'new_state' | 'figures' | 'used_quota'
>;

/** How records of one kind are taken over. */
export interface RecordRules<Arriving, Prepared> {
  kind: ImportKind;
  /** Name of the record at the old side, if its id alone is ambiguous. */
  key?(arriving: Arriving): string;
  /** For the report. */
  label(arriving: Arriving): string;
  /** Fields that are compared to find a change at the old side: all but figures. */
  state(arriving: Arriving): unknown;
  figures(arriving: Arriving): ImportFigures;
  /** Decides about a new record without writing; undefined: it cannot come, and the report says why. */
  prepare(arriving: Arriving): Prepared | undefined;
  /** Id here of a record that exists already. */
  existing?(prepared: Prepared): number | undefined;
  /** Writes a new record; its id. */
  add(trx: Transaction<Tables>, arriving: Arriving, prepared: Prepared): Promise<number>;
  /** Writes what changed at the old side over an unchanged record here. */
  change(trx: Transaction<Tables>, arriving: Arriving, newId: number): Promise<void>;
  /** Moves figures by what changed at the old side since the last run. `trx` is absent in a dry run. */
  move?(trx: Transaction<Tables> | undefined, arriving: Arriving, record: RecordRow): Promise<void>;
  /** Fingerprint of each record here. */
  here(db: Kysely<Tables>, ids: readonly number[]): Promise<Map<number, string>>;
  /** Switches off a record that is no longer at the old side. */
  end?(trx: Transaction<Tables>, newId: number): Promise<void>;
}

/** Short fingerprint of a state. */
export const stateOf = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22);
