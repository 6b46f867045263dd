import type { ExtraRatios, LogMetadata } from '@relay-hub/contract';
import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';

/** JSON columns are written as text and read as values, on both databases. */
type Json<T> = ColumnType<T, string, string>;

export interface Tables {
  users: {
    id: Generated<number>;
    username: string;
    password_hash: string;
    display_name: Generated<string>;
    role: number;
    status: number;
    email: Generated<string>;
    avatar_url: Generated<string>;
    group: string;
    /** Credits that can be spent now. `quota` and `held` are written by `quota/` only. */
    quota: Generated<number>;
    /** Credits that open calls have reserved. */
    held: Generated<number>;
    used_quota: Generated<number>;
    request_count: Generated<number>;
    created_time: number;
    last_login_time: Generated<number>;
    deleted_time: number | null;
  };
  sessions: {
    /** SHA-256 of the cookie's value. */
    id_hash: string;
    user_id: number;
    created_time: number;
    seen_time: number;
    expires_time: number;
    ip: string;
    user_agent: string;
  };
  user_groups: {
    id: Generated<number>;
    symbol: string;
    name: string;
    ratio: number;
    api_rate: number;
    public: boolean;
    enable: boolean;
  };
  channels: {
    id: Generated<number>;
    type: number;
    name: string;
    status: number;
    key_cipher: string;
    key_hint: string;
    base_url: string;
    other: string;
    models: string;
    group: string;
    tag: string;
    priority: number;
    weight: number;
    model_mapping: string;
    model_headers: string;
    proxy: Generated<string>;
    test_model: string;
    only_chat: boolean;
    pre_cost: number;
    balance: Generated<number>;
    balance_updated_time: Generated<number>;
    used_quota: Generated<number>;
    response_time: Generated<number>;
    test_time: Generated<number>;
    created_time: number;
    last_error: Generated<string>;
    last_error_time: Generated<number>;
    deleted_time: number | null;
  };
  tokens: {
    id: Generated<number>;
    user_id: number;
    name: string;
    /** SHA-256 of the key, which is how a call finds its token. */
    key_hash: string;
    key_cipher: string;
    key_hint: string;
    status: number;
    created_time: number;
    accessed_time: Generated<number>;
    expired_time: number;
    remain_quota: number;
    unlimited_quota: boolean;
    used_quota: Generated<number>;
    group: string;
    enable_cache: boolean;
    deleted_time: number | null;
  };
  prices: {
    /** Never reused: a log row names the version that it was charged with. */
    version: Generated<number>;
    model: string;
    type: 'tokens' | 'times';
    channel_type: number;
    input: number;
    output: number;
    extra_ratios: Json<ExtraRatios>;
    valid_from: number;
    /** Null while the price is in force. */
    valid_to: number | null;
  };
  model_owners: { id: number; name: string; icon: string };
  options: { key: string; value: string };
  /** What every node must notice: each change of a kind of setting adds one. */
  revisions: { name: string; value: number };
  /** Running processes, so that the calls of one that died can be closed by another. */
  nodes: { id: string; host: string; pid: number; started_time: number; seen_time: number };
  /** Calls under way. A row exists from before the upstream is asked until the call is settled. */
  intents: {
    request_id: string;
    node: string;
    user_id: number;
    token_id: number;
    /** Credits held: taken off the balance, not yet posted to the ledger. */
    reserved: number;
    token_reserved: number;
    price_version: number;
    model_name: string;
    created_time: number;
  };
  /** Append-only. The sum of a user's entries is `quota` + `held`. */
  ledger: {
    id: Generated<number>;
    user_id: number;
    token_id: number | null;
    kind: string;
    credits: number;
    /** `quota` + `held` after this entry. */
    balance_after: number;
    reference: string;
    actor_id: number;
    remark: string;
    created_time: number;
  };
  logs: {
    id: Generated<number>;
    request_id: string;
    user_id: number;
    created_at: number;
    type: number;
    content: string;
    username: string;
    token_id: number;
    token_name: string;
    model_name: string;
    quota: number;
    prompt_tokens: number;
    completion_tokens: number;
    /** Prompt tokens that the provider had cached, however it counts them. */
    cached_tokens: number;
    channel_id: number;
    request_time: number;
    is_stream: boolean;
    source_ip: string;
    failed: boolean;
    metadata: Json<LogMetadata> | null;
  };
  /** Roll-ups, written with the rows that they sum up. `hour` is Unix seconds. */
  usage_by_user: UsageSums & { hour: number; user_id: number; model_name: string };
  usage_by_channel: UsageSums & { hour: number; channel_id: number; model_name: string };
}

export interface UsageSums {
  request_count: number;
  failed_count: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  request_time: number;
}

export type Db = Kysely<Tables> | Transaction<Tables>;
