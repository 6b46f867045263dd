import { parseTextMap, type PluginOptions, splitList } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { withUserAgent } from '#http/user-agent.ts';
import { findProvider } from '#providers/registry.ts';
import type { Secrets } from '#secrets.ts';
import { limitsIn } from './channel-limits.ts';
import { proxyFor } from './proxy-for.ts';
import { liveRules } from './request-rules.ts';
import type { ChannelTimeouts, LiveChannel, LiveKey, OnGone } from './routing-table.ts';

type ChannelRow = Selectable<Tables['channels']>;

export interface SealedKey {
  id: number;
  key_cipher: string;
}

/** The channel ready for calls with these keys, or why it is not; false: it has none. */
export function liveChannel(
  row: ChannelRow,
  sealed: readonly SealedKey[],
  secrets: Secrets,
): LiveChannel | string | false {
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
    rules: liveRules(row.request_rules),
    timeouts: timeoutsOf(row),
    onGone: onGoneOf(row),
    unpriced: { tiers: row.unpriced_tiers || undefined, tools: row.unpriced_tools || undefined },
    defaultTier: row.default_tier || undefined,
    costRatio: row.cost_ratio ?? undefined,
    limits: limitsIn(row.limits) ?? undefined,
    staysBy: row.cache_affinity === 'auto' ? (provider.promptCacheS ? 'key' : 'off') : row.cache_affinity,
    repliesCached: row.reply_cache,
    publicName: row.public_name,
    region: row.region,
    dataPolicy: row.data_policy,
    quantization: row.quantization,
    cacheLifeMs: (provider.promptCacheS ?? USUAL_CACHE_S) * 1000,
  };
}

/** For providers that publish no lifetime. */
const USUAL_CACHE_S = 1800;

const open = (secrets: Secrets, stored: string): string => (stored === '' ? '' : secrets.decrypt(stored));

const timeoutsOf = (row: ChannelRow): ChannelTimeouts => ({
  connectMs: row.connect_timeout * 1000,
  firstTokenMs: row.first_token_timeout * 1000,
  idleMs: row.idle_timeout * 1000,
  totalMs: row.total_timeout * 1000,
});

const onGoneOf = ({ on_client_gone: policy, gone_seconds: seconds, gone_tokens: tokens }: ChannelRow): OnGone =>
  policy === 'limit' ? { policy, ms: seconds * 1000, tokens } : { policy };
