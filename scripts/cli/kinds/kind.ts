import type { Endpoint, InputOf } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { unknownFields } from '../../../server/src/http/unknown-fields.ts';
import { problemText } from '../../../server/src/i18n/language.ts';
import type { Entry } from '../config-files.ts';
import { CliError, type HubClient } from '../hub-client.ts';

export type Fields = Record<string, unknown>;

/** An object as the files want it. */
export interface Desired {
  entry: Entry;
  name: string;
  /** Input of the API. */
  fields: Fields;
  /** Fields as compared and shown: lists and maps instead of texts, hints instead of secrets. */
  form: Fields;
}

/** An object as the hub has it. */
export interface Stored {
  name: string;
  id: number;
  form: Fields;
  /** Form for a file, with references instead of secrets; `reference` names one. */
  fileForm(reference: (part: string) => string): Fields;
  /** Of a price: refused if it is no longer the current one. */
  version?: number;
}

export interface Write {
  name: string;
  desired: Desired;
  /** Absent: it is created. */
  stored: Stored | undefined;
  /** Top-level fields that change, or all secrets with `resend`. */
  changed: ReadonlySet<string>;
}

export interface Kind {
  name: string;
  /** One line for a file's head. */
  about: string;
  /** Checks an entry by the contract. Throws `CliError` with file, line and field. */
  read(entry: Entry): Desired;
  /** `wanted`: what will be compared; other objects may lack parts that cost a request each. */
  list(hub: HubClient, wanted?: ReadonlyMap<string, Desired>): Promise<Stored[]>;
  /** Writes some objects; several in one change where the API has one. */
  write(hub: HubClient, writes: readonly Write[]): Promise<void>;
  remove(hub: HubClient, gone: readonly Stored[]): Promise<void>;
  /** Whether an access key may write it; the reason if not. */
  byHand?(name: string): boolean;
  /** Whether it stays when the files do not have it, even with `--prune`. */
  stays?(stored: Stored): boolean;
  /** How many objects one request writes. */
  atOnce: number;
  /** Its fields with the values that they have when they are left out. */
  shape?: Record<string, z.ZodMiniType>;
  /** Such values where a file has another form than the API. */
  defaults?: Fields;
}

export const plainForm = (form: Fields) => () => form;

export function parsed<S extends z.ZodMiniType>(schema: S, entry: Entry, value: unknown = entry.value): z.output<S> {
  for (const field of unknownFields(schema, value)) entry.fail(field.split('.'), 'is unknown');
  const result = schema.safeParse(value ?? {}, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue) throw new CliError(entry.place([]));
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
  return entry.fail(path, issue.code === 'unrecognized_keys' ? 'is unknown' : problemText(issue, 'en_US'));
}

export function ensureName(schema: z.ZodMiniType<string>, entry: Entry): string {
  const result = schema.safeParse(entry.name, { reportInput: true });
  const [issue] = result.success ? [] : result.error.issues;
  if (issue) entry.fail([], problemText(issue, 'en_US'));
  if (result.data !== entry.name) entry.fail([], 'a name has no spaces at its ends and no control characters');
  return entry.name;
}

export function ensureReferences(entry: Entry, paths: readonly string[]): void {
  for (const path of paths)
    if (!entry.references.has(path))
      entry.fail(path.split('.'), 'is a secret: write a reference, such as ${env:NAME} or ${file:/run/secrets/name}');
}

/** JSON of the API has no undefined members. */
export const asJson = (value: unknown): Fields => JSON.parse(JSON.stringify(value)) as Fields;
/** A body of fields that `read` has parsed by the endpoint's schema. */
export const inputOf = <E extends Endpoint>(_: E, fields: object) => fields as InputOf<E>['body'];

export const pick = (record: object, fields: Iterable<string>): Fields => {
  const values = record as Fields;
  return Object.fromEntries([...fields].map((field) => [field, values[field]]));
};
export const nullable = <T extends z.ZodMiniType>(schema: T) => z._default(z.nullable(schema), null);

/** A list of texts, or the same separated by commas. */
export const listed = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).join(',') : value);
export const isPlainObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** A map, or its JSON. */
export const mapped = (value: unknown): unknown =>
  isPlainObject(value) ? (Object.keys(value).length === 0 ? '' : JSON.stringify(value)) : value;

/** An object whose form is its parsed input. */
export function simple(entry: Entry, nameSchema: z.ZodMiniType<string>, schema: z.ZodMiniType): Desired {
  const name = ensureName(nameSchema, entry);
  const fields = asJson(parsed(schema, entry));
  return { entry, name, fields, form: fields };
}
