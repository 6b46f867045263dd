import type { ChannelChange, ChannelChanged, ChannelPreview, ChannelScope } from '@relay-hub/contract';
import type { Kysely, Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import type { ChannelBefore } from '#db/tables/channels.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { touch } from '#live/revisions.ts';
import { channelsFound } from '#features/channel/channel-list.ts';
import { channelColumns, type ChannelRow } from '#features/channel/channel-record.ts';
import { checkGroups, targetOf } from '#features/channel/channel-rules.ts';
import { planFor, type PlannedChange } from './plan-change.ts';
import type { ChannelSet } from './plan-edit.ts';
import { troubledChannels, type TroubleDeps } from '#features/channel/troubled-channels.ts';
import { keepUndo } from './undo-channels.ts';
import { inParts, writeRows } from './write-rows.ts';

type ChannelChangeDeps = Pick<Deps, 'db' | 'hour' | 'live' | 'now'>;

/** Number of rows listed in a preview. */
const previewRows = 100;

/** Computes a change without applying it. */
export async function previewChange(
  deps: ChannelChangeDeps,
  scope: ChannelScope,
  change: ChannelChange,
): Promise<ChannelPreview> {
  const { db, now } = deps;
  await checkChange(db, change);
  const rows = await rowsIn(db, scope, await troubledIn(db, scope, deps));
  const planned = rows.map((row) => ({ row, plan: planFor(row, change, now()) }));
  const changing = planned.flatMap(({ row, plan }) => (isWritten(plan) ? [{ row, set: plan.set }] : []));
  const skips = planned.flatMap(({ row, plan }) => ('skip' in plan ? [{ row, reason: plan.skip }] : []));
  return {
    count: rows.length,
    changed: changing.length,
    skipped: skips.length,
    rows: changing
      .slice(0, previewRows)
      .map(({ row, set }) => ({ id: row.id, name: row.name, changes: changesOf(row, set) })),
    skips: skips.slice(0, previewRows).map(({ row, reason }) => ({ id: row.id, name: row.name, reason })),
  };
}

/**
 * Applies a change to several channels in one transaction. Throws `channel.scope_changed` if a filter matches another
 * number of channels than the caller saw.
 */
export async function changeChannels(
  deps: ChannelChangeDeps,
  scope: ChannelScope,
  change: ChannelChange,
  actorId: number,
): Promise<ChannelChanged> {
  const { db, now } = deps;
  await checkChange(db, change);
  const troubled = await troubledIn(db, scope, deps);
  return changeRows(db, actorId, now(), {
    find: async (trx) => {
      const rows = await rowsIn(trx, scope, troubled);
      if ('filter' in scope && rows.length !== scope.count)
        throw new AppError('channel.scope_changed', { count: rows.length, expected: scope.count });
      return rows;
    },
    plan: (row) => planFor(row, change, now()),
  });
}

interface Work {
  find(trx: Transaction<Tables>): Promise<ChannelRow[]>;
  plan(row: ChannelRow): PlannedChange;
}

/** Selects channels, writes the planned columns and stores the previous ones for undo. All or none. */
export async function changeRows(
  db: Kysely<Tables>,
  actorId: number,
  now: number,
  work: Work,
): Promise<ChannelChanged> {
  return db.transaction().execute(async (trx) => {
    // Also the lock that serialises bulk changes.
    await touch(trx, 'routes');
    const rows = await work.find(trx);
    const planned = rows.map((row) => ({ row, plan: work.plan(row) }));
    const undo: ChannelBefore[] = planned.flatMap(({ row, plan }) => (isWritten(plan) ? [undoOf(row, plan.set)] : []));
    await writeRows(trx, undo);
    return {
      count: rows.length,
      changed: undo.length,
      skipped: planned.filter(({ plan }) => 'skip' in plan).length,
      undo: undo.length === 0 ? '' : await keepUndo(trx, undo, actorId, now),
    };
  });
}

async function checkChange(db: Db, change: ChannelChange): Promise<void> {
  if (change.verb === 'edit' && change.group && change.group.how !== 'remove')
    await checkGroups(db, change.group.value);
}

/** The troubled channels, if the scope filters by trouble. Read before the transaction, to keep it short. */
export async function troubledIn(db: Db, scope: ChannelScope, watching: TroubleDeps): Promise<number[]> {
  return 'filter' in scope && scope.filter.trouble !== 0 ? [...(await troubledChannels(db, watching)).keys()] : [];
}

/** The selected channels in order; locked if `db` is a transaction. */
export async function rowsIn(db: Db, scope: ChannelScope, troubled: readonly number[]): Promise<ChannelRow[]> {
  const all = db.selectFrom('channels').select(channelColumns).orderBy('id');
  const held = (query: typeof all) => (db.isTransaction ? locked(query, db as Transaction<Tables>) : query); // checked by isTransaction
  if ('filter' in scope) return held(all.where(channelsFound({ ...scope.filter, troubled }))).execute();
  const ids = [...new Set(scope.ids)].toSorted((a, b) => a - b);
  const found: ChannelRow[] = [];
  for (const some of inParts(ids))
    found.push(...(await held(all.where('deleted_time', 'is', null).where('id', 'in', some)).execute()));
  return found;
}

const isWritten = (plan: PlannedChange): plan is { set: ChannelSet } =>
  'set' in plan && Object.keys(plan.set).length > 0;

/** The previous values of the columns about to be written. */
export function undoOf(row: ChannelRow, set: ChannelSet): ChannelBefore {
  const was = new Map<string, string | number | boolean | null>(Object.entries({ ...row, deleted_time: null }));
  const before = Object.fromEntries(Object.keys(set).map((column) => [column, was.get(column) ?? null]));
  const hasSecrets = 'model_headers' in set || 'plugin' in set || 'proxy' in set;
  return { id: row.id, before, after: set, ...(hasSecrets && { target: targetOf({ ...row, ...set }) }) };
}

function changesOf(row: ChannelRow, set: ChannelSet): ChannelPreview['rows'][number]['changes'] {
  const was = new Map<string, string | number | boolean | null>(Object.entries(row));
  return Object.entries(set).map(([field, after]) => ({
    field,
    before: String(was.get(field) ?? ''),
    after: String(after ?? ''),
  }));
}
