import type { ChannelKey, SavedChannel } from '@relay-hub/contract';
import { channelStatus } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { targetOf } from '#features/channel/channel-rules.ts';
import type { Secrets } from '#secrets.ts';
import { fingerprint, hintOf } from '#secrets.ts';

const keyColumns = [
  'id',
  'key_hint',
  'status',
  'reason',
  'last_error',
  'last_error_time',
  'response_time',
  'test_time',
  'created_time',
] as const;

/** Both databases limit the number of values per statement. */
const someAtOnce = 500;

export function listKeys(db: Db, channelId: number): Promise<ChannelKey[]> {
  return db.selectFrom('channel_keys').where('channel_id', '=', channelId).select(keyColumns).orderBy('id').execute();
}

export interface KeySummary {
  key_hint: string;
  key_count: number;
  keys_off: number;
}

/** For each channel, the hint of its first key and the number of keys. */
export async function keySummaries(db: Db, channelIds: readonly number[]): Promise<Map<number, KeySummary>> {
  if (channelIds.length === 0) return new Map();
  const enabled = sql`case when status = ${channelStatus.enabled} then id end`;
  const counted = await db
    .selectFrom('channel_keys')
    .where('channel_id', 'in', channelIds)
    .groupBy('channel_id')
    .select(({ fn }) => [
      'channel_id',
      fn.countAll<number>().as('keys'),
      sql<number>`count(${enabled})`.as('on'),
      sql<number>`coalesce(min(${enabled}), min(id))`.as('first'),
    ])
    .execute();
  const firsts = await db
    .selectFrom('channel_keys')
    .where('id', 'in', counted.length === 0 ? [0] : counted.map(({ first }) => first))
    .select(['id', 'key_hint'])
    .execute();
  const hints = new Map(firsts.map(({ id, key_hint }) => [id, key_hint]));
  return new Map(
    counted.map(({ channel_id, keys, on, first }) => [
      channel_id,
      { key_hint: hints.get(first) ?? '', key_count: keys, keys_off: keys - on },
    ]),
  );
}

/** A channel's first key, for requests of the server itself. */
export async function keyInUse(db: Db, secrets: Secrets, channelId: number): Promise<OpenKey> {
  const keys = await openKeys(db, secrets, channelId);
  const used = keys.find(({ status }) => status === channelStatus.enabled) ?? keys[0];
  ensure(used, 'record.not_found', { field: 'id' });
  return used;
}

export interface OpenKey {
  id: number;
  status: number;
  key: string;
}

/** All keys of a channel, decrypted, in order. */
export async function openKeys(db: Db, secrets: Secrets, channelId: number): Promise<OpenKey[]> {
  const rows = await db
    .selectFrom('channel_keys')
    .where('channel_id', '=', channelId)
    .select(['id', 'status', 'key_cipher'])
    .orderBy('id')
    .execute();
  return rows.map(({ id, status, key_cipher: cipher }) => ({ id, status, key: secrets.decrypt(cipher) }));
}

export interface NewKey {
  channel_id: number;
  key: string;
  status?: number;
}

/** Adds keys, skipping those that the channel already has. Returns how many were new. */
export async function addKeys(db: Db, secrets: Secrets, keys: readonly NewKey[], now: number): Promise<number> {
  const rows = keys.map(({ channel_id, key, status }) => ({
    channel_id,
    key_hash: fingerprint(key),
    key_cipher: secrets.encrypt(key),
    key_hint: hintOf(key),
    status: status ?? channelStatus.enabled,
    created_time: now,
  }));
  let added = 0;
  for (let i = 0; i < rows.length; i += someAtOnce) {
    const some = await db
      .insertInto('channel_keys')
      .values(rows.slice(i, i + someAtOnce))
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute();
    added += some.length;
  }
  return added;
}

/** For each of some channels, the others that have one of its keys at the same destination. */
export async function sameKeys(
  db: Db,
  channels: readonly ({ id: number } & ChannelPlace)[],
): Promise<(channel: { id: number } & ChannelPlace) => Pick<SavedChannel, 'same_key'>> {
  const own = channels.map(({ id }) => id);
  const found: ({ of: number; id: number; name: string } & ChannelPlace)[] = [];
  for (let i = 0; i < own.length; i += someAtOnce)
    found.push(
      ...(await db
        .selectFrom('channel_keys as own')
        .innerJoin('channel_keys as other', 'other.key_hash', 'own.key_hash')
        .innerJoin('channels', 'channels.id', 'other.channel_id')
        .where('own.channel_id', 'in', own.slice(i, i + someAtOnce))
        .whereRef('other.channel_id', '!=', 'own.channel_id')
        .where('channels.deleted_time', 'is', null)
        .select(['own.channel_id as of', 'channels.id', 'channels.name', 'channels.type', 'channels.base_url'])
        .distinct()
        .orderBy('channels.id')
        .execute()),
    );
  return (channel) => {
    const here = targetOf(channel);
    const others = found.filter((other) => other.of === channel.id && targetOf(other) === here);
    return others.length === 0 ? {} : { same_key: others.slice(0, 20).map(({ id, name }) => ({ id, name })) };
  };
}

type ChannelPlace = Parameters<typeof targetOf>[0];

/** Replaces a channel's keys. The state of keys that stay is kept. */
export async function replaceKeys(
  trx: Transaction<Tables>,
  { secrets, now }: Pick<Deps, 'secrets' | 'now'>,
  channelId: number,
  keys: readonly string[],
): Promise<void> {
  const keep = new Set(keys.map(fingerprint));
  const held = await locked(trx.selectFrom('channel_keys').where('channel_id', '=', channelId), trx)
    .select(['id', 'key_hash'])
    .execute();
  const gone = held.filter(({ key_hash }) => !keep.has(key_hash)).map(({ id }) => id);
  for (let i = 0; i < gone.length; i += someAtOnce)
    await trx
      .deleteFrom('channel_keys')
      .where('id', 'in', gone.slice(i, i + someAtOnce))
      .execute();
  await addKeys(
    trx,
    secrets,
    keys.map((key) => ({ channel_id: channelId, key })),
    now(),
  );
}

/** Gives keys with one status another, of any channels. */
export async function switchKeys(db: Db, ids: readonly number[], from: number, to: number): Promise<void> {
  for (let i = 0; i < ids.length; i += someAtOnce)
    await db
      .updateTable('channel_keys')
      .set({ status: to })
      .where('id', 'in', ids.slice(i, i + someAtOnce))
      .where('status', '=', from)
      .execute();
}

/** Enables or disables a key manually, which clears what the server recorded against it. */
export async function setKeyStatus(db: Db, channelId: number, keyId: number, status: number): Promise<ChannelKey> {
  const row = await db
    .updateTable('channel_keys')
    .set({ status, reason: '' })
    .where('id', '=', keyId)
    .where('channel_id', '=', channelId)
    .returning(keyColumns)
    .executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'key' });
  return row;
}

/** Deletes a key. Throws `channel.last_key` for a channel's only key. */
export async function removeKey(trx: Transaction<Tables>, channelId: number, keyId: number): Promise<void> {
  // Locks all keys, so that concurrent deletions cannot remove the last one.
  const held = await locked(trx.selectFrom('channel_keys').where('channel_id', '=', channelId), trx)
    .select('id')
    .orderBy('id')
    .execute();
  ensure(
    held.some(({ id }) => id === keyId),
    'record.not_found',
    { field: 'key' },
  );
  ensure(held.length > 1, 'channel.last_key', { field: 'key' });
  await trx.deleteFrom('channel_keys').where('id', '=', keyId).execute();
}
