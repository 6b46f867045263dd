import { channelStatus, parseTextMap, type PluginOptions, splitList } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import type { Logger } from 'pino';
import type { Db, Tables } from '#db/tables.ts';
import { findProvider } from '#providers/registry.ts';
import type { Secrets } from '#secrets.ts';
import { withUserAgent } from '#http/user-agent.ts';
import { proxyFor } from './proxy-for.ts';
import type { ChannelTimeouts, LiveChannel, LiveKey, OnGone, DisabledChannel } from './routing-table.ts';
import { RoutingTable } from './routing-table.ts';

type Row = Selectable<Tables['channels']>;

/** All channels in the form that calls use. Unusable ones are left out, with a line in the process log. */
export async function loadRoutes(db: Db, secrets: Secrets, log: Logger): Promise<RoutingTable> {
  const rows = await db.selectFrom('channels').selectAll().where('deleted_time', 'is', null).execute();
  const keys = await keysInUse(db);
  const channels: LiveChannel[] = [];
  const resting: DisabledChannel[] = [];
  for (const row of rows) {
    const live = row.status === channelStatus.enabled && liveChannel(row, keys.get(row.id) ?? [], secrets);
    if (live === false) resting.push(restingOf(row));
    else if (typeof live === 'string') log.warn({ channel: row.id, type: row.type }, `channel is left out: ${live}`);
    else channels.push(live);
  }
  return new RoutingTable(channels, resting);
}

const restingOf = ({ id, name, priority, weight, models, group }: Row): DisabledChannel => ({
  id,
  name,
  priority,
  weight,
  models: splitList(models),
  groups: splitList(group),
});

type Sealed = { id: number; key_cipher: string };

/** Enabled keys by channel, in their order. */
async function keysInUse(db: Db): Promise<Map<number, Sealed[]>> {
  const rows = await db
    .selectFrom('channel_keys')
    .where('status', '=', channelStatus.enabled)
    .select(['id', 'channel_id', 'key_cipher'])
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, (row) => row.channel_id);
}

/** The channel ready for calls, or why it is not; false: all its keys are off. */
function liveChannel(row: Row, sealed: readonly Sealed[], secrets: Secrets): LiveChannel | string | false {
  const provider = findProvider(row.type);
  const baseUrl = row.base_url || provider?.baseUrl;
  if (!provider || !baseUrl) return 'unknown type or no address';
  const proxy = open(secrets, row.proxy);
  const own = withUserAgent(parseTextMap(open(secrets, row.model_headers)));
  const keys: LiveKey[] = sealed.map(({ id, key_cipher: cipher }) => {
    const key = secrets.decrypt(cipher);
    return { id, key, headers: { ...own, ...provider.headers(key) }, proxy: proxyFor(proxy, key) };
  });
  const [first] = keys;
  if (!first) return false;
  const plugin = open(secrets, row.plugin);
  return {
    id: row.id,
    name: row.name,
    provider,
    baseUrl,
    key: first.key,
    headers: first.headers,
    keys,
    models: splitList(row.models),
    groups: splitList(row.group),
    mapping: new Map(Object.entries(parseTextMap(row.model_mapping) ?? {})),
    priority: row.priority,
    weight: Math.max(1, row.weight),
    onlyChat: row.only_chat,
    passesRoutingFields: row.pass_routing_fields,
    tag: row.tag,
    other: row.other,
    plugin: plugin === '' ? {} : (JSON.parse(plugin) as PluginOptions), // written by `channel-secrets.ts`
    proxy,
    preCost: row.pre_cost,
    excluded: new Set(splitList(row.excluded)),
    disabledStream: splitList(row.disabled_stream),
    timeouts: timeoutsOf(row),
    onGone: onGoneOf(row),
  };
}

const open = (secrets: Secrets, stored: string): string => (stored === '' ? '' : secrets.decrypt(stored));

const timeoutsOf = (row: Row): ChannelTimeouts => ({
  connectMs: row.connect_timeout * 1000,
  firstTokenMs: row.first_token_timeout * 1000,
  idleMs: row.idle_timeout * 1000,
  totalMs: row.total_timeout * 1000,
});

const onGoneOf = ({ on_client_gone: policy, gone_seconds: seconds, gone_tokens: tokens }: Row): OnGone =>
  policy === 'limit' ? { policy, ms: seconds * 1000, tokens } : { policy };
