import type { Channel, ChannelJob } from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { JsonColumn } from './json-column.ts';

/** Columns that a change wrote, with their values before and after. */
export interface ChannelBefore {
  id: number;
  before: Record<string, string | number | boolean | null>;
  after: Record<string, string | number | boolean | null>;
  /** Destination of the secrets among these columns; absent without secrets. */
  target?: string;
  /** Keys that the change disabled. */
  keys_off?: number[];
}

export interface ChannelsTables {
  /** Images that channel checks show to models, and who fetched them. */
  check_images: { id: string; expires_time: number };
  check_image_fetches: { image_id: string; ip: string; user_agent: string };
  channels: {
    id: Generated<number>;
    type: number;
    name: string;
    status: number;
    base_url: string;
    other: string;
    models: string;
    group: string;
    tag: string;
    priority: number;
    weight: number;
    model_mapping: string;
    /** Encrypted, like the two below; empty if unset. */
    model_headers: string;
    proxy: Generated<string>;
    plugin: Generated<string>;
    /** Comma-separated, like the one below. */
    excluded: Generated<string>;
    disabled_stream: Generated<string>;
    /** JSON of `requestRules`; empty: none. */
    request_rules: Generated<string>;
    connect_timeout: Generated<number>;
    first_token_timeout: Generated<number>;
    idle_timeout: Generated<number>;
    total_timeout: Generated<number>;
    on_client_gone: Generated<Channel['on_client_gone']>;
    gone_seconds: Generated<number>;
    /** Empty: the setting of the site. */
    unpriced_tiers: Generated<Channel['unpriced_tiers']>;
    unpriced_tools: Generated<Channel['unpriced_tools']>;
    default_tier: Generated<Channel['default_tier']>;
    cost_ratio: Generated<number | null>;
    /** JSON of `channelLimits`; empty: none. */
    limits: Generated<string>;
    gone_tokens: Generated<number>;
    test_model: string;
    only_chat: boolean;
    pass_routing_fields: Generated<boolean>;
    cache_affinity: Generated<Channel['cache_affinity']>;
    reply_cache: Generated<boolean>;
    public_name: Generated<string>;
    region: Generated<string>;
    data_policy: Generated<Channel['data_policy']>;
    quantization: Generated<string>;
    pre_cost: number;
    balance: Generated<number>;
    balance_currency: Generated<string>;
    balance_updated_time: Generated<number>;
    balance_error: Generated<string>;
    balance_error_time: Generated<number>;
    used_quota: Generated<number>;
    response_time: Generated<number>;
    test_time: Generated<number>;
    created_time: number;
    last_error: Generated<string>;
    last_error_time: Generated<number>;
    /** JSON of a `usageWarning`; empty: none. */
    usage_warning: Generated<string>;
    deleted_time: number | null;
  };
  /** API keys of channels for their upstreams. The first enabled one is used. */
  channel_keys: {
    id: Generated<number>;
    channel_id: number;
    /** SHA-256; empty for keys stored before a channel could have several, until the next start. */
    key_hash: string;
    key_cipher: string;
    key_hint: string;
    status: number;
    reason: Generated<string>;
    last_error: Generated<string>;
    last_error_time: Generated<number>;
    response_time: Generated<number>;
    test_time: Generated<number>;
    created_time: number;
  };
  /** Channels before a bulk change, while it can be undone. */
  channel_undos: { id: string; actor_id: number; created_time: number; rows: JsonColumn<ChannelBefore[]> };
  /** One row per kind: the running job over many channels, or the last one. */
  channel_jobs: Omit<ChannelJob, 'failures' | 'skips' | 'state'> & {
    /** Id of the run: a stopped or superseded run must not continue under a later one's name. */
    run: string;
    state: 'running' | 'done' | 'cancelled';
    failures: JsonColumn<ChannelJob['failures']>;
    skips: JsonColumn<ChannelJob['skips']>;
    actor_id: number;
    /** Time of the last heartbeat of its node. */
    seen_time: number;
  };
}
