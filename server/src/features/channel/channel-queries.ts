import type { Channel, channelEdit, ChannelHealth, ListQuery, newChannel, Page } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type * as z from 'zod/mini';
import { contains, listHas } from '#db/dialect-differences.ts';
import { given } from '#db/given.ts';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';
import type { Secrets } from '#secrets.ts';
import { hintOf } from '#secrets.ts';

const columns = [
  'id',
  'type',
  'name',
  'status',
  'key_hint',
  'base_url',
  'other',
  'models',
  'group',
  'tag',
  'priority',
  'weight',
  'model_mapping',
  'model_headers',
  'proxy',
  'test_model',
  'only_chat',
  'pre_cost',
  'balance',
  'balance_updated_time',
  'used_quota',
  'response_time',
  'test_time',
  'created_time',
  'last_error',
  'last_error_time',
] as const;

/** Keys go in and never come out: the wire's `key` is always empty. */
const withoutKey = <T extends object>(row: T): T & { key: '' } => ({ ...row, key: '' });

interface Filters {
  keyword: string;
  name: string;
  models: string;
  group: string;
  tag: string;
  type: number;
  status: number;
}

export async function listChannels(db: Db, query: ListQuery & Filters): Promise<Page<Channel>> {
  let channels = db.selectFrom('channels').where('deleted_time', 'is', null).select(columns);
  const { keyword, name, models, group, tag, type, status } = query;
  if (keyword !== '') {
    channels = channels.where((eb) =>
      eb.or(['name', 'models', 'tag', 'base_url'].map((column) => contains(column, keyword))),
    );
  }
  if (name !== '') channels = channels.where(contains('name', name));
  if (models !== '') channels = channels.where(contains('models', models));
  if (group !== '') channels = channels.where(listHas('group', group));
  if (tag !== '') channels = channels.where('tag', '=', tag);
  if (type !== 0) channels = channels.where('type', '=', type);
  if (status !== 0) channels = channels.where('status', '=', status);
  const page = await pageOfRows(channels, query);
  return { ...page, data: page.data.map(withoutKey) };
}

export async function getChannel(db: Db, id: number): Promise<Channel> {
  const found = await db
    .selectFrom('channels')
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .select(columns)
    .executeTakeFirst();
  ensure(found, 'record.not_found', { field: 'id' });
  return withoutKey(found);
}

/** The stored key of a channel, for a request of our own through it. */
export async function channelKey(db: Db, secrets: Secrets, id: number): Promise<string> {
  const found = await db
    .selectFrom('channels')
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .select('key_cipher')
    .executeTakeFirst();
  ensure(found, 'record.not_found', { field: 'id' });
  return secrets.decrypt(found.key_cipher);
}

const sealed = (secrets: Secrets, key: string) => ({ key_cipher: secrets.encrypt(key), key_hint: hintOf(key) });

/** Both databases limit how many values one statement can carry. */
const ROWS_AT_ONCE = 500;

/** A channel for each line of the key, all or none. */
export async function createChannels(
  db: Kysely<Tables>,
  secrets: Secrets,
  { key, name, ...input }: z.output<typeof newChannel>,
  now: number,
): Promise<Channel[]> {
  const keys = key
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const rows = keys.map((one, i) => ({
    ...input,
    ...sealed(secrets, one),
    name: i === 0 ? name : `${name}_${i + 1}`,
    created_time: now,
  }));
  return db.transaction().execute(async (trx) => {
    const made: Channel[] = [];
    for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
      const some = await trx
        .insertInto('channels')
        .values(rows.slice(i, i + ROWS_AT_ONCE))
        .returning(columns)
        .execute();
      made.push(...some.map(withoutKey));
    }
    return made;
  });
}

/** Changes what is given; an absent or empty key leaves the stored one. */
export async function updateChannel(
  db: Db,
  secrets: Secrets,
  { id, key, ...changes }: z.output<typeof channelEdit>,
): Promise<Channel> {
  const set = { ...given(changes), ...(key && sealed(secrets, key)) };
  if (Object.keys(set).length === 0) return getChannel(db, id);
  const updated = await db
    .updateTable('channels')
    .set(set)
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .returning(columns)
    .executeTakeFirst();
  ensure(updated, 'record.not_found', { field: 'id' });
  return withoutKey(updated);
}

/** Takes the channel out of use; log rows keep naming it. */
export async function removeChannel(db: Db, id: number, now: number): Promise<void> {
  const removed = await db
    .updateTable('channels')
    .set({ deleted_time: now })
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .returning('id')
    .executeTakeFirst();
  ensure(removed, 'record.not_found', { field: 'id' });
}

const HOURS = 24;

/** Calls and failures of each channel in each of the last 24 hours, this one included. */
export async function channelHealths(db: Db, now: number): Promise<ChannelHealth[]> {
  const first = now - (now % 3600) - (HOURS - 1) * 3600;
  const channels = await db
    .selectFrom('channels')
    .where('deleted_time', 'is', null)
    .select('id')
    .orderBy('id')
    .execute();
  const rows = await db
    .selectFrom('usage_by_channel')
    .where('hour', '>=', first)
    .groupBy(['channel_id', 'hour'])
    .select(['channel_id', 'hour'])
    .select(({ fn }) => [fn.sum<number>('request_count').as('requests'), fn.sum<number>('failed_count').as('failures')])
    .execute();
  const healths = new Map<number, ChannelHealth>();
  for (const { id } of channels) {
    healths.set(id, { channel_id: id, hours: Array.from({ length: HOURS }, () => ({ requests: 0, failures: 0 })) });
  }
  for (const { channel_id: id, hour, requests, failures } of rows) {
    const slot = healths.get(id)?.hours[(hour - first) / 3600];
    if (slot) Object.assign(slot, { requests, failures });
  }
  return [...healths.values()];
}
