import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { addKeys } from '#features/channel/keys/channel-keys.ts';
import { sealed } from '#features/channel/keys/channel-secrets.ts';
import { fingerprint } from '#secrets.ts';
import type { ArrivingChannel } from '#imports/read/read-channels.ts';
import { type ImportRun, type RecordRules, stateOf } from './record-rules.ts';
import { rowsHere } from './rows-here.ts';

const columns = [
  'type',
  'name',
  'status',
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
  'plugin',
  'disabled_stream',
  'request_rules',
  'test_model',
  'only_chat',
  'pre_cost',
  'deleted_time',
] as const;

export function channelRules(run: ImportRun): RecordRules<ArrivingChannel, object> {
  return {
    kind: 'channel',
    label: ({ oldId, name }) => `channel ${oldId} (${name})`,
    state: ({ oldId: _id, used_quota: _used, balance: _balance, ...rest }) => rest,
    figures: ({ name, used_quota: used }) => ({ name, used }),
    prepare: () => ({}),
    add: async (trx, channel) => {
      const { id } = await trx
        .insertInto('channels')
        .values({
          ...written(run, channel),
          balance: channel.balance,
          used_quota: channel.used_quota,
          created_time: channel.created_time || run.now,
          deleted_time: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await addKeys(trx, run.secrets, keysFor(id, channel), run.now);
      return id;
    },
    change: async (trx, channel, id) => {
      await trx.updateTable('channels').set(written(run, channel)).where('id', '=', id).execute();
      await replaceKeys(trx, id, { run, channel });
    },
    move: async (trx, channel, { new_id: id, figures }) => {
      const used = channel.used_quota - (figures.used ?? 0);
      await trx
        ?.updateTable('channels')
        .set((eb) => ({ used_quota: eb('used_quota', '+', used) }))
        .where('id', '=', id)
        .execute();
    },
    here: channelsHere,
    end: async (trx, id) => {
      await trx.updateTable('channels').set({ deleted_time: run.now }).where('id', '=', id).execute();
    },
  };
}

/** The columns that come from the old side, secrets encrypted. */
function written({ secrets }: ImportRun, channel: ArrivingChannel) {
  const { type, name, status, base_url, other, models, group, tag, priority, weight } = channel;
  const { model_mapping, disabled_stream, request_rules, test_model, only_chat, pre_cost } = channel;
  const { model_headers, proxy, plugin } = channel;
  const own = { type, name, status, base_url, other, models, group, tag, priority, weight };
  const more = { model_mapping, disabled_stream, request_rules, test_model, only_chat, pre_cost };
  const cipher = sealed(secrets, { model_headers, proxy, plugin });
  return {
    ...own,
    ...more,
    model_headers: cipher.model_headers ?? '',
    proxy: cipher.proxy ?? '',
    plugin: cipher.plugin ?? '',
  };
}

const keysFor = (channelId: number, { keys }: ArrivingChannel) =>
  keys.filter(({ key }) => key !== '').map(({ key, status }) => ({ channel_id: channelId, key, status }));

/** Keys that are not replaced keep their state. */
async function replaceKeys(
  trx: Transaction<Tables>,
  channelId: number,
  { run, channel }: { run: ImportRun; channel: ArrivingChannel },
): Promise<void> {
  const keys = keysFor(channelId, channel);
  const hashes = keys.map(({ key }) => fingerprint(key));
  await trx
    .deleteFrom('channel_keys')
    .where('channel_id', '=', channelId)
    .where('key_hash', 'not in', hashes.length > 0 ? hashes : [''])
    .execute();
  await addKeys(trx, run.secrets, keys, run.now);
  for (const { key, status } of keys)
    await trx
      .updateTable('channel_keys')
      .set({ status })
      .where('channel_id', '=', channelId)
      .where('key_hash', '=', fingerprint(key))
      .execute();
}

async function channelsHere(db: Kysely<Tables>, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsHere(db, 'channels', columns, ids);
  const keys = await db
    .selectFrom('channel_keys')
    .where('channel_id', 'in', ids)
    .select(['channel_id', 'key_hash', 'status'])
    .orderBy('id')
    .execute();
  const byChannel = Map.groupBy(keys, ({ channel_id }) => channel_id);
  return new Map([...rows].map(([id, state]) => [id, stateOf([state, byChannel.get(id) ?? []])]));
}
