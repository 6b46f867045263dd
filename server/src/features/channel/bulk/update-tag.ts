import type { ChannelChanged, TagEdit } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import { given } from '#db/given.ts';
import type { ChannelBefore, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { touch } from '#live/revisions.ts';
import { fingerprint } from '#secrets.ts';
import { undoOf } from './change-channels.ts';
import { addKeys } from '#features/channel/keys/channel-keys.ts';
import { channelColumns, type ChannelRow } from '#features/channel/channel-record.ts';
import { checkGroups, checkReach } from '#features/channel/channel-rules.ts';
import { keysIn } from '#features/channel/keys/key-text.ts';
import { plannedEdit, typeAfter } from './plan-edit.ts';
import { keepUndo } from './undo-channels.ts';
import { writeRows } from './write-rows.ts';

type TagUpdateDeps = Pick<Deps, 'db' | 'secrets' | 'config' | 'live' | 'now'>;

/**
 * Updates all channels of a tag, and creates a copy of the first one for each key that none of them has. All or none.
 * Throws `record.not_found` for a tag without channels.
 */
export async function updateTag(
  { db, secrets, config, live, now }: TagUpdateDeps,
  tag: string,
  { key, ...edit }: TagEdit,
  actorId: number,
): Promise<ChannelChanged & { added: number }> {
  checkReach(given({ proxy: edit.proxy }), operatorReach({ config, live }));
  if (edit.group !== undefined) await checkGroups(db, edit.group);
  return db.transaction().execute(async (trx) => {
    await touch(trx, 'routes');
    const rows = await lockedTag(trx, tag);
    const changed = rows.flatMap((row) => {
      const set = plannedEdit(secrets, row, edit);
      return Object.keys(set).length === 0 ? [] : [undoOf(row, set)];
    });
    await writeRows(trx, changed);
    const added = await addMembers(trx, { secrets, now }, rows, key);
    const undo = [...changed, ...added];
    return {
      count: rows.length,
      changed: changed.length,
      skipped: 0,
      added: added.length,
      undo: undo.length === 0 ? '' : await keepUndo(trx, undo, actorId, now()),
    };
  });
}

/** A tag's channels, locked until the transaction ends. */
async function lockedTag(trx: Transaction<Tables>, tag: string): Promise<ChannelRow[]> {
  const members = trx.selectFrom('channels').where('deleted_time', 'is', null).where('tag', '=', tag);
  const rows = await locked(members.select(channelColumns).orderBy('id'), trx).execute();
  ensure(rows.length > 0, 'record.not_found', { field: 'tag' });
  return rows;
}

/** Columns that a copy does not inherit, such as counters. */
const fresh = {
  balance: 0,
  balance_updated_time: 0,
  used_quota: 0,
  response_time: 0,
  test_time: 0,
  last_error: '',
  last_error_time: 0,
  usage_warning: '',
};

async function addMembers(
  trx: Transaction<Tables>,
  { secrets, now }: Pick<Deps, 'secrets' | 'now'>,
  rows: readonly ChannelRow[],
  text: string,
): Promise<ChannelBefore[]> {
  const [first] = rows;
  if (!first) return [];
  const known = await knownHashes(trx, rows);
  const keys = keysIn(text, typeAfter({}, first)).filter((key) => !known.has(fingerprint(key)));
  // Read after the update.
  const { id: _, ...model } = await trx
    .selectFrom('channels')
    .where('id', '=', first.id)
    .select(channelColumns)
    .executeTakeFirstOrThrow();
  const added: ChannelBefore[] = [];
  for (const [i, key] of keys.entries()) {
    const name = `${model.name}_${rows.length + i + 1}`;
    const { id } = await trx
      .insertInto('channels')
      .values({ ...model, ...fresh, name: name.slice(0, 100), created_time: now() })
      .returning('id')
      .executeTakeFirstOrThrow();
    await addKeys(trx, secrets, [{ channel_id: id, key }], now());
    added.push({ id, before: { deleted_time: now() }, after: { deleted_time: null } });
  }
  return added;
}

async function knownHashes(trx: Transaction<Tables>, rows: readonly ChannelRow[]): Promise<Set<string>> {
  const ids = rows.map(({ id }) => id);
  const keys = await trx.selectFrom('channel_keys').where('channel_id', 'in', ids).select('key_hash').execute();
  return new Set(keys.map(({ key_hash: hash }) => hash));
}
