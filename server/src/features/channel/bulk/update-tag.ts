import { type ChannelChanged, channelStatus, type TagEdit } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import { baseAddressIn } from '#channel-types/base-address.ts';
import { locked } from '#db/dialect-differences.ts';
import { given } from '#db/given.ts';
import type { Tables } from '#db/tables.ts';
import type { ChannelBefore } from '#db/tables/channels.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { touch } from '#live/revisions.ts';
import { fingerprint, type Secrets } from '#secrets.ts';
import { ensureSameDestination } from '#stored-secrets.ts';
import { undoOf } from './change-channels.ts';
import { addKeys, switchKeys } from '#features/channel/keys/channel-keys.ts';
import { channelColumns, type ChannelRow } from '#features/channel/channel-record.ts';
import { checkAddress, checkGroups, checkReach, destinationOf, otherOf } from '#features/channel/channel-rules.ts';
import { opened } from '#features/channel/keys/channel-secrets.ts';
import { keysIn } from '#features/channel/keys/key-text.ts';
import { plannedEdit, typeAfter } from './plan-edit.ts';
import { keepUndo } from './undo-channels.ts';
import { writeRows } from './write-rows.ts';

type TagUpdateDeps = Pick<Deps, 'db' | 'secrets' | 'config' | 'live' | 'now'>;

/**
 * Updates all channels of a tag. A list of keys replaces theirs, or with `key_mode` `add` adds to them: channels with
 * none of the keys are deleted, other keys are disabled, and each new key becomes a copy of the first channel. All or
 * none, and can be undone. Throws `record.not_found` for a tag without channels.
 */
export async function updateTag(
  { db, secrets, config, live, now }: TagUpdateDeps,
  tag: string,
  { key, key_mode: mode, type, base_url, ...edit }: TagEdit,
  actorId: number,
): Promise<ChannelChanged & { added: number; removed: number }> {
  checkReach(given({ proxy: edit.proxy, base_url }), operatorReach({ config, live }));
  if (edit.group !== undefined) await checkGroups(db, edit.group);
  return db.transaction().execute(async (trx) => {
    await touch(trx, 'routes');
    const rows = await lockedTag(trx, tag);
    const [first] = rows;
    ensure(first, 'record.not_found', { field: 'tag' });
    const kind = typeAfter(given({ type }), first);
    const keys = await planKeys(trx, rows, keysIn(key, kind), mode);
    const changed = rows.flatMap((row) => {
      const gone = keys.gone.has(row.id) ? { deleted_time: now() } : {};
      const set = { ...plannedEdit(secrets, row, edit), ...gone };
      const off = keys.off.get(row.id);
      if (Object.keys(set).length === 0 && !off) return [];
      return [{ ...undoOf(row, set), ...(off && { keys_off: off }) }];
    });
    await writeRows(trx, changed);
    await switchKeys(trx, [...keys.off.values()].flat(), channelStatus.enabled, channelStatus.disabled);
    const place = given({
      type: type === undefined ? undefined : kind.type,
      base_url: base_url && baseAddressIn(kind.type, base_url, edit.plugin),
    });
    const added = await addMembers(trx, { secrets, now }, rows, keys.fresh, place);
    const undo = [...changed, ...added];
    return {
      count: rows.length,
      changed: changed.length,
      skipped: 0,
      added: added.length,
      removed: keys.gone.size,
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
  balance_error: '',
  balance_error_time: 0,
  used_quota: 0,
  response_time: 0,
  test_time: 0,
  last_error: '',
  last_error_time: 0,
  usage_warning: '',
};

/** Changes of a tag's channels by a list of keys. */
interface KeyPlan {
  /** Keys that no channel has. */
  fresh: string[];
  /** Ids of channels without a listed key. */
  gone: Set<number>;
  /** Ids of keys to disable, by channel. */
  off: Map<number, number[]>;
}

async function planKeys(
  trx: Transaction<Tables>,
  rows: readonly ChannelRow[],
  listed: readonly string[],
  mode: TagEdit['key_mode'],
): Promise<KeyPlan> {
  const ids = rows.map(({ id }) => id);
  const held = await trx
    .selectFrom('channel_keys')
    .where('channel_id', 'in', ids)
    .select(['id', 'channel_id', 'key_hash', 'status'])
    .execute();
  const known = new Set(held.map(({ key_hash: hash }) => hash));
  const plan: KeyPlan = {
    fresh: listed.filter((key) => !known.has(fingerprint(key))),
    gone: new Set(),
    off: new Map(),
  };
  // An empty list means "unchanged": old clients cannot send back keys that no reply shows.
  if (mode === 'add' || listed.length === 0) return plan;
  const wanted = new Set(listed.map((key) => fingerprint(key)));
  for (const id of ids) {
    const own = held.filter(({ channel_id: channel }) => channel === id);
    const others = own.filter(({ key_hash: hash }) => !wanted.has(hash));
    if (others.length === own.length) plan.gone.add(id);
    else {
      const off = others.filter(({ status }) => status === channelStatus.enabled).map((each) => each.id);
      if (off.length > 0) plan.off.set(id, off);
    }
  }
  return plan;
}

async function addMembers(
  trx: Transaction<Tables>,
  { secrets, now }: Pick<Deps, 'secrets' | 'now'>,
  rows: readonly ChannelRow[],
  keys: readonly string[],
  place: { type?: number; base_url?: string },
): Promise<ChannelBefore[]> {
  const [first] = rows;
  if (!first || keys.length === 0) return [];
  // Read after the update.
  const { id: _, ...updated } = await trx
    .selectFrom('channels')
    .where('id', '=', first.id)
    .select(channelColumns)
    .executeTakeFirstOrThrow();
  const model = modelAt(secrets, updated, place);
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

/** A channel at another type or address. Throws `channel.key_again` if its headers would go to another destination. */
function modelAt<Row extends Omit<ChannelRow, 'id'>>(
  secrets: Secrets,
  row: Row,
  place: { type?: number; base_url?: string },
): Row {
  const next = { ...row, ...place };
  if (next.type === row.type && next.base_url === row.base_url) return row;
  const type = typeAfter({ type: next.type }, row);
  checkAddress(type, next.base_url);
  const { model_headers, proxy, plugin } = opened(secrets, row);
  const kept = { model_headers: model_headers !== '', plugin: plugin['headers'] !== undefined };
  ensureSameDestination(destinationOf({ ...row, proxy }), destinationOf({ ...next, proxy }), kept, 'channel.key_again');
  return { ...next, other: otherOf(type, next.other) };
}
