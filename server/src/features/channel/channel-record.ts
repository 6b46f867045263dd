import type { Channel, RequestRule, UsageWarning } from '@relay-hub/contract';
import { channelFeatures, customParameterOf, splitList } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { keySummaries } from '#features/channel/keys/channel-keys.ts';
import { hidden, opened } from '#features/channel/keys/channel-secrets.ts';
import { withoutResponsesUntil } from '#relay/select/responses-fallback.ts';
import { limitsIn } from '#live/channel-limits.ts';
import { limitUses } from '#live/limit-uses.ts';
import { troublesOf } from './troubled-channels.ts';

/** A channel's columns as stored. */
export const channelColumns = [
  'id',
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
  'excluded',
  'disabled_stream',
  'request_rules',
  'connect_timeout',
  'first_token_timeout',
  'idle_timeout',
  'total_timeout',
  'on_client_gone',
  'gone_seconds',
  'unpriced_tiers',
  'unpriced_tools',
  'default_tier',
  'cost_ratio',
  'public_name',
  'region',
  'data_policy',
  'quantization',
  'limits',
  'gone_tokens',
  'test_model',
  'only_chat',
  'pass_routing_fields',
  'cache_affinity',
  'reply_cache',
  'pre_cost',
  'balance',
  'balance_currency',
  'balance_updated_time',
  'balance_error',
  'balance_error_time',
  'used_quota',
  'response_time',
  'test_time',
  'created_time',
  'last_error',
  'last_error_time',
  'usage_warning',
] as const;

export type ChannelRow = Pick<Selectable<Tables['channels']>, (typeof channelColumns)[number]>;

/** Dependencies for building channel records. */
export type ChannelRecordDeps = Pick<Deps, 'hour' | 'secrets' | 'live' | 'now'>;

/** Channels as administrators see them: without keys, and with placeholders for other secrets. */
export async function recordsOf(db: Db, showing: ChannelRecordDeps, rows: readonly ChannelRow[]): Promise<Channel[]> {
  const { secrets, live } = showing;
  const keys = await keySummaries(
    db,
    rows.map(({ id }) => id),
  );
  const troubles = await troublesOf(db, showing, rows);
  const limits = new Map(rows.map(({ id, limits: stored }) => [id, limitsIn(stored)]));
  const uses = await limitUses(
    { db, now: showing.now },
    rows.map(({ id }) => ({ id, limits: limits.get(id) })),
  );
  const nowMs = Date.now();
  return rows.map((row) => ({
    ...row,
    ...hidden(opened(secrets, row)),
    key: '',
    key_hint: '',
    key_count: 0,
    keys_off: 0,
    ...keys.get(row.id),
    excluded: channelFeatures.filter((feature) => splitList(row.excluded).includes(feature)),
    disabled_stream: splitList(row.disabled_stream),
    ...rulesOf(row),
    limits: limits.get(row.id) ?? null,
    limit_use: uses.get(row.id) ?? [],
    usage_warning: row.usage_warning === '' ? null : (JSON.parse(row.usage_warning) as UsageWarning), // written by this server
    without_responses_until: Math.ceil(withoutResponsesUntil(live.routes.channel(row.id), nowMs) / 1000),
    frozen_until: Math.ceil(live.restsUntil(row.id, nowMs) / 1000),
    trouble: troubles.get(row.id) ?? null,
  }));
}

/** The rules of a channel's row. */
export const rulesIn = ({ request_rules: stored }: Pick<ChannelRow, 'request_rules'>): RequestRule[] =>
  stored === '' ? [] : (JSON.parse(stored) as RequestRule[]); // written by this server

function rulesOf(row: ChannelRow): Pick<Channel, 'request_rules' | 'custom_parameter'> {
  const rules = rulesIn(row);
  return { request_rules: rules, custom_parameter: customParameterOf(rules) };
}

export async function recordOf(db: Db, showing: ChannelRecordDeps, row: ChannelRow): Promise<Channel> {
  const [record] = await recordsOf(db, showing, [row]);
  return record!; // one record per row
}

/** An existing channel's row. Throws `record.not_found`. */
export async function findRow(db: Db, id: number): Promise<ChannelRow> {
  const row = await db
    .selectFrom('channels')
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .select(channelColumns)
    .executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return row;
}

export async function getChannel(db: Db, showing: ChannelRecordDeps, id: number): Promise<Channel> {
  return recordOf(db, showing, await findRow(db, id));
}
