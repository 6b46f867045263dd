import { isDeepStrictEqual } from 'node:util';
import { collectProblems, readConfigFiles } from './config-files.ts';
import { kinds } from './config-kinds.ts';
import { CliError, type HubClient, plain, Refusal } from './hub-client.ts';
import type { Desired, Kind, Stored, Write } from './kinds/kind.ts';

type Fields = Record<string, unknown>;

/** A field before and after, as shown: without secrets. Absent: it is not there. */
export interface FieldChange {
  field: string;
  before?: string;
  after?: string;
}

export interface Change {
  kind: Kind;
  name: string;
  action: 'create' | 'update' | 'delete';
  fields: FieldChange[];
  /** It needs a proof of identity, which an access key cannot give. */
  byHand: boolean;
  write?: Write;
  stored?: Stored;
}

export interface PlanOptions {
  /** Objects of the kinds in the files that the files do not have are deleted. */
  prune: boolean;
  /** Secrets are sent again: the hub returns none to be compared. */
  resend: boolean;
}

/**
 * The changes that make a hub as the files say, in the order in which they are made. Reads the hub and changes nothing.
 * Throws `CliError` with file, line and field.
 */
export async function planChanges(hub: HubClient, places: readonly string[], options: PlanOptions): Promise<Change[]> {
  const { entries, present } = readConfigFiles(
    places,
    kinds.map(({ name }) => name),
  );
  const wanted = new Map(kinds.map(({ name }) => [name, new Map<string, Desired>()]));
  collectProblems(entries, (entry) => {
    const kind = kinds.find(({ name }) => name === entry.kind);
    const desired = kind?.read(entry);
    if (desired) wanted.get(entry.kind)?.set(desired.name, desired);
  });
  const changes: Change[] = [];
  const deletions: Change[] = [];
  for (const kind of kinds.filter(({ name }) => present.has(name))) {
    const ofKind = wanted.get(kind.name) ?? new Map<string, Desired>();
    const stored = byName(kind, await listed(kind, hub, ofKind));
    for (const desired of ofKind.values()) {
      const change = changeOf(kind, desired, stored.get(desired.name), options.resend);
      if (change) changes.push(change);
    }
    if (!options.prune) continue;
    for (const each of stored.values())
      if (!ofKind.has(each.name) && kind.stays?.(each) !== true)
        deletions.push({ kind, name: each.name, action: 'delete', fields: [], byHand: false, stored: each });
  }
  // Groups are written before the channels that name them, and deleted after them.
  return [...changes, ...deletions.toReversed()];
}

/** The objects of a kind. Throws `CliError` that names the kind where the key has no right to it. */
export async function listed(kind: Kind, hub: HubClient, wanted?: ReadonlyMap<string, Desired>): Promise<Stored[]> {
  try {
    return await kind.list(hub, wanted);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new CliError(`${kind.name}: ${error.message}`);
  }
}

/** Objects by their name. Throws `CliError` if two have the same. */
export function byName(kind: Kind, stored: readonly Stored[]): Map<string, Stored> {
  const found = new Map(stored.map((each) => [each.name, each]));
  const seen = new Set<string>();
  const repeated = stored.map(({ name }) => name).filter((name) => seen.size === seen.add(name).size);
  if (repeated.length > 0)
    throw new CliError(
      `The hub has more than one of ${kind.name} with the name ${[...new Set(repeated)].map(plain).join(', ')}. Names identify them here: rename one.`,
    );
  return found;
}

function changeOf(kind: Kind, desired: Desired, stored: Stored | undefined, resend: boolean): Change | undefined {
  const { name, form, entry } = desired;
  const fields = differences(stored?.form ?? {}, form, entry.references);
  if (stored && resend) fields.push(...sentAgain(entry.references, fields));
  if (stored && fields.length === 0) return undefined;
  const changed = new Set(fields.map(({ field }) => field.split('.')[0] ?? ''));
  // The way's destination is one secret.
  if (changed.has('config')) changed.add('destination');
  return {
    kind,
    name,
    action: stored ? 'update' : 'create',
    fields,
    byHand: kind.byHand?.(name) ?? false,
    write: { name, desired, stored, changed },
    ...(stored && { stored }),
  };
}

const sentAgain = (references: ReadonlyMap<string, string>, known: readonly FieldChange[]): FieldChange[] =>
  [...references]
    .filter(([field]) => !known.some((each) => each.field === field || field.startsWith(`${each.field}.`)))
    .map(([field, reference]) => ({ field, before: '(sent again)', after: reference }));

/** Fields of two forms that differ, maps member by member. */
function differences(before: Fields, after: Fields, references: ReadonlyMap<string, string>, at = ''): FieldChange[] {
  const found: FieldChange[] = [];
  for (const name of new Set([...Object.keys(after), ...Object.keys(before)])) {
    const field = at === '' ? name : `${at}.${name}`;
    const [old, next] = [before[name], after[name]];
    if (isSame(old, next)) continue;
    const isMap = isMapOf(next) && (isMapOf(old) || (old === undefined && Object.keys(next).length > 0));
    if (isMap) {
      found.push(...differences(isMapOf(old) ? old : {}, next, references, field));
      continue;
    }
    found.push({
      field,
      ...(old !== undefined && { before: shown(old) }),
      ...(next !== undefined && {
        after: (typeof next === 'string' ? references.get(field) : undefined) ?? shown(next),
      }),
    });
  }
  return found;
}

const isMapOf = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A missing member and an undefined one are the same; the order of members means nothing. */
const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b);

const LONGEST_SHOWN = 2000;

function shown(value: unknown): string {
  const isList = Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null);
  const text = isList
    ? `[${value.join(', ')}]`
    : typeof value === 'string' && value !== ''
      ? value
      : JSON.stringify(value);
  const clean = plain(text);
  return clean.length > LONGEST_SHOWN ? `${clean.slice(0, LONGEST_SHOWN)}…` : clean;
}

const marks = { create: '+', update: '~', delete: '-' } as const;

/** The changes as text, and their numbers in a last line. */
export function planText(changes: readonly Change[]): string {
  const lines = changes.flatMap(({ kind, name, action, fields, byHand }) => [
    `${marks[action]} ${kind.name}.${plain(name)}${byHand ? '  (by hand, in the console: it needs a proof of identity)' : ''}`,
    ...fields.map((change) => `    ${change.field}: ${changeText(change)}`),
  ]);
  return [...lines, summary(changes)].join('\n');
}

const changeText = ({ before, after }: FieldChange): string =>
  before === undefined ? (after ?? '') : `${before} → ${after ?? '(removed)'}`;

function summary(changes: readonly Change[]): string {
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  if (changes.length === 0) return 'No changes: the hub is as the files say.';
  return `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete.`;
}

/** The changes for programs. */
export const planJson = (changes: readonly Change[]) => ({
  changes: changes.map(({ kind, name, action, fields, byHand }) => ({
    kind: kind.name,
    name,
    action,
    fields,
    by_hand: byHand,
  })),
});

/**
 * Makes the changes in their order; `told` hears of each that was made. After an interruption a new plan has the rest.
 * Throws `CliError` that names the object.
 */
export async function applyChanges(
  hub: HubClient,
  changes: readonly Change[],
  told: (made: readonly Change[]) => void,
): Promise<void> {
  for (const some of batches(changes.filter(({ byHand }) => !byHand))) {
    const [first] = some;
    if (!first) continue;
    try {
      if (first.action === 'delete')
        await first.kind.remove(
          hub,
          some.flatMap(({ stored }) => stored ?? []),
        );
      else
        await first.kind.write(
          hub,
          some.flatMap(({ write }) => write ?? []),
        );
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const names = some.length === 1 ? `${first.kind.name}.${plain(first.name)}` : first.kind.name;
      const place = some.length === 1 ? first.write?.desired.entry.place(error.field?.split('.') ?? []) : undefined;
      throw new CliError(`${place === undefined ? '' : `${place}: `}${names}: ${error.message}`);
    }
    told(some);
  }
}

/** Neighbours of one kind and action that one request writes. */
function batches(changes: readonly Change[]): Change[][] {
  const found: Change[][] = [];
  for (const change of changes) {
    const last = found.at(-1);
    const isDelete = change.action === 'delete';
    const [head] = last ?? [];
    const fits = head?.kind === change.kind && (head.action === 'delete') === isDelete;
    if (last && fits && last.length < change.kind.atOnce) last.push(change);
    else found.push([change]);
  }
  return found;
}
