import type { BackupCause, BackupState, BotFormat, NodeState } from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { OptionalJsonColumn } from './json-column.ts';

/** A running process of the site. */
export interface RegisteredNode {
  id: string;
  /** Its machine and, behind a space, its container. */
  host: string;
  pid: number;
  started_time: number;
  /** By the clock of the database. */
  seen_time: number;
}

export interface SiteTables {
  /** Commands that the operator added to the Telegram bot. */
  telegram_menus: {
    id: Generated<number>;
    command: string;
    description: string;
    parse_mode: BotFormat;
    reply_message: string;
  };
  /** Settings that differ from the default; secrets are encrypted. */
  options: { key: string; value: string };
  /** Null: the default. A secret is recorded as dots. */
  option_changes: {
    id: Generated<number>;
    key: string;
    before: string | null;
    after: string | null;
    actor_id: number;
    created_time: number;
  };
  /** Change counters that every node watches, one per kind. */
  revisions: { name: string; value: number };
  /** Users that changes of keys and accounts concern; `revision`: the counter `users` at the last one. */
  changed_users: { user_id: number; revision: number };
  /** Running processes, so that others can release the calls of a dead one. */
  nodes: RegisteredNode & {
    /** Its last report; null: none yet, or of a version before these. */
    state: OptionalJsonColumn<NodeState>;
    /** Of its program, and the last migration that this knows; null: of a version before these. */
    version: string | null;
    schema: string | null;
  };
  /** Calls of the last hours, as nodes exchange them for the cockpit. */
  call_minutes: {
    /** Unix seconds / 60. */
    minute: number;
    node: string;
    /** By the clock of the node. */
    written_time: number;
    /** JSON, see `minute-text.ts`. */
    calls: string;
  };
  backups: {
    id: Generated<number>;
    cause: BackupCause;
    actor_id: number;
    /** The machine that has the file. */
    host: string;
    /** Set while it runs: only one does. */
    lock: string | null;
    /** Time and attempt of a scheduled one: only one node makes it. */
    slot: string | null;
    state: BackupState;
    percent: Generated<number>;
    started_time: number;
    /** Time of the last heartbeat, by the clock of the database. */
    seen_time: number;
    ended_time: Generated<number>;
    /** Path of the archive; empty: there is none, or it was removed. */
    file: Generated<string>;
    bytes: Generated<number>;
    encrypted: boolean;
    /** Why it failed. */
    error: Generated<string>;
  };
  /** Uploaded images; the name is a hash of the bytes and an extension. */
  site_pictures: { name: string; type: string; base64: string; created_time: number };
}
