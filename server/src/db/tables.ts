import type {
  AttemptKind,
  AuditDetail,
  AuditEntry,
  Channel,
  ChannelJob,
  ExtraRatios,
  LogCleanup,
  LogMetadata,
  PriceChange,
  PriceInput,
  PriceSource,
} from '@relay-hub/contract';
import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';

/** JSON columns are written as text and read as values, on both databases. */
type Json<T> = ColumnType<T, string, string>;

export interface Tables {
  users: {
    id: Generated<number>;
    username: string;
    /** What the name looks like, see `shapeOfName`; null of one that looked like an older one before that was kept. */
    username_shape: string | null;
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
    /** When the password was last changed; 0 = not since the account was made. */
    password_time: Generated<number>;
    /** SHA-256 of the access token, which is how a request finds its account; null while there is none. */
    access_token_hash: string | null;
    access_token_hint: Generated<string>;
    access_token_time: Generated<number>;
    access_token_used_time: Generated<number>;
    /** What the account invites others with; null until it is asked for. */
    aff_code: string | null;
    inviter_id: number | null;
    /** Of mails to it; empty: the site's. */
    language: Generated<string>;
    /** When its owner was told that the balance is low; 0 = not since it last was enough. */
    reminded_time: Generated<number>;
    deleted_time: number | null;
  };
  /** How often something was tried that must not be tried often; on nodes without Redis. */
  throttles: { name: string; count: number; ends_ms: number };
  /** Codes and links that went out by mail and are still good. */
  mail_codes: {
    purpose: MailPurpose;
    /** In lower case. */
    email: string;
    /** SHA-256 of the cookie of the browser that asked; of a link, of the link itself. */
    holder: string;
    /** Keyed with the data key: six digits could be found from a plain hash. */
    code_hash: string;
    user_id: number | null;
    tries: Generated<number>;
    /** Tries of others than the browser that asked. */
    strange_tries: Generated<number>;
    expires_time: number;
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
    /** When whoever holds it last proved who they are; signing in counts. */
    proved_time: Generated<number>;
  };
  /** Two-step verification; in force once it is confirmed. */
  totp: {
    user_id: number;
    seed_cipher: string;
    confirmed_time: Generated<number>;
    /** Of the last code that was taken, in units of 30 seconds: none is taken twice. */
    last_step: Generated<number>;
  };
  recovery_codes: { user_id: number; code_hash: string; used_time: Generated<number> };
  /** Who has given the right password and owes the second step. */
  login_steps: { id_hash: string; user_id: number; expires_time: number; tries: Generated<number> };
  passkeys: {
    id: Generated<number>;
    user_id: number;
    credential_id: string;
    public_key: string;
    counter: number;
    /** Comma-separated. */
    transports: string;
    name: string;
    host: string;
    synced: boolean;
    created_time: number;
    used_time: Generated<number>;
  };
  /** What a passkey has to sign, once; `holder` is the hash of the cookie that asked. */
  passkey_challenges: { holder: string; purpose: string; challenge: string; expires_time: number };
  /** Pictures that a check of a channel has its models look at, and who came for them. */
  check_images: { id: string; expires_time: number };
  check_image_fetches: { image_id: string; ip: string; user_agent: string };
  /** What administrators did, and tried to do. */
  audit: {
    id: Generated<number>;
    created_time: number;
    actor_id: number;
    actor_name: string;
    actor_role: number;
    ip: string;
    user_agent: string;
    via: AuditEntry['via'];
    method: string;
    path: string;
    kind: string;
    object_id: string;
    object_name: string;
    status: number;
    code: string;
    input: Json<AuditDetail['input']> | null;
    before: Json<AuditDetail['before']> | null;
    after: Json<AuditDetail['after']> | null;
  };
  /** Accounts elsewhere that are bound to one here. An issuer's subject is bound once, and nothing else links. */
  identities: {
    id: Generated<number>;
    user_id: number;
    provider: string;
    /** Of OpenID Connect; empty where a provider is one place. */
    issuer: Generated<string>;
    subject: string;
    /** As its owner knows it; for showing only. */
    name: Generated<string>;
    created_time: number;
    used_time: Generated<number>;
  };
  /** Sign-ins and bindings under way; a row is taken out by whoever comes back with it. */
  oauth_states: {
    state_hash: string;
    /** Empty: GitHub or Lark, for clients that do not say. */
    provider: string;
    /** SHA-256 of the cookie of the browser that began. */
    browser_hash: string;
    /** Who is to be bound; null for signing in. */
    user_id: number | null;
    /** Encrypted JSON: what the way back is checked with. */
    kept: string;
    tries: Generated<number>;
    expires_time: number;
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
    base_url: string;
    other: string;
    models: string;
    group: string;
    tag: string;
    priority: number;
    weight: number;
    model_mapping: string;
    /** Encrypted, like the two below; empty where there is nothing. */
    model_headers: string;
    proxy: Generated<string>;
    plugin: Generated<string>;
    /** Comma-separated, like the one below. */
    excluded: Generated<string>;
    disabled_stream: Generated<string>;
    connect_timeout: Generated<number>;
    first_token_timeout: Generated<number>;
    idle_timeout: Generated<number>;
    total_timeout: Generated<number>;
    on_client_gone: Generated<Channel['on_client_gone']>;
    gone_seconds: Generated<number>;
    gone_tokens: Generated<number>;
    test_model: string;
    only_chat: boolean;
    pass_routing_fields: Generated<boolean>;
    pre_cost: number;
    balance: Generated<number>;
    balance_currency: Generated<string>;
    balance_updated_time: Generated<number>;
    used_quota: Generated<number>;
    response_time: Generated<number>;
    test_time: Generated<number>;
    created_time: number;
    last_error: Generated<string>;
    last_error_time: Generated<number>;
    /** JSON of a `usageWarning`; empty: there is none. */
    usage_warning: Generated<string>;
    deleted_time: number | null;
  };
  /** What channels send to their upstreams to be let in. The first that is enabled is the one that is used. */
  channel_keys: {
    id: Generated<number>;
    channel_id: number;
    /** SHA-256; empty for one from before there were several, until the next start. */
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
  /** What channels were before a change of several, for as long as it can be taken back. */
  channel_undos: { id: string; actor_id: number; created_time: number; rows: Json<ChannelBefore[]> };
  /** One row a kind: the work on many channels that runs, or the last one. */
  channel_jobs: Omit<ChannelJob, 'failures' | 'state'> & {
    /** Which run it is: one that was stopped or overtaken must not go on under the next one's name. */
    run: string;
    state: 'running' | 'done' | 'cancelled';
    failures: Json<ChannelJob['failures']>;
    actor_id: number;
    /** When its node last said that it is at it. */
    seen_time: number;
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
    /** What can still be spent; `held` of it is leased to nodes, and not in here. */
    remain_quota: number;
    held: Generated<number>;
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
    source: Generated<PriceSource>;
    /** The changes that put it in force and ended it; null where that was the server itself. */
    begun_by: number | null;
    ended_by: number | null;
  };
  /** What was done to prices in one step. */
  price_changes: {
    id: Generated<number>;
    kind: PriceChange['kind'];
    mode: PriceChange['mode'];
    source: string;
    actor_id: number;
    created_time: number;
    added: number;
    changed: number;
    dropped: number;
    version: Generated<number>;
    undone_by: number | null;
  };
  /** Lists that were fetched and looked at, until they are applied or forgotten. */
  price_previews: {
    id: string;
    actor_id: number;
    source: string;
    /** Fingerprint of the prices in force when it was made. */
    in_force: string;
    list: Json<PreviewedList>;
    created_time: number;
  };
  model_owners: { id: number; name: string; icon: string };
  /** What is not at its default; secrets are encrypted. */
  options: { key: string; value: string };
  /** Null: the default. Of a secret only dots, where there was one. */
  option_changes: {
    id: Generated<number>;
    key: string;
    before: string | null;
    after: string | null;
    actor_id: number;
    created_time: number;
  };
  /** What every node must notice: each change of a kind of setting adds one. */
  revisions: { name: string; value: number };
  /** Running processes, so that the calls of one that died can be closed by another. */
  nodes: { id: string; host: string; pid: number; started_time: number; seen_time: number };
  /**
   * Credits that a node may admit calls against without asking again: off the balance, not yet posted to the ledger.
   * `token_id` 0 is the user's own lease; the others are off their token's quota.
   */
  leases: { user_id: number; token_id: number; node: string; credits: number; recalled: Generated<boolean> };
  /** How far the settlements of a node's journal file have been applied; closed: the node died, its calls are released. */
  journals: { node: string; applied: number; closed: boolean };
  redemptions: {
    id: Generated<number>;
    /** Who made it. */
    user_id: number;
    name: string;
    /** SHA-256 of the code, which is how a redeemer finds it. */
    key_hash: string;
    key_cipher: string;
    key_hint: string;
    status: number;
    quota: number;
    created_time: number;
    expired_time: number;
    /** 0 while nobody has redeemed it, like the user below. */
    redeemed_time: Generated<number>;
    redeemed_user_id: Generated<number>;
    deleted_time: number | null;
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
  /**
   * Calls that were refused before any channel was asked; equal ones of a token within an hour are one row. Ids lie
   * above those of `logs`, see `FIRST_REFUSAL`.
   */
  refusals: {
    id: Generated<number>;
    user_id: number;
    token_id: number;
    /** Unix seconds. */
    hour: number;
    reason: string;
    /** Empty: not known, or, with `many_models`, several. */
    model_name: string;
    many_models: boolean;
    code: string;
    status: number;
    count: number;
    first_time: number;
    first_request_id: string;
    /** The columns from here on are of the last call. */
    created_at: number;
    request_id: string;
    username: string;
    token_name: string;
    group_name: string;
    endpoint: string;
    source_ip: string;
    message: string;
    needed: number;
  };
  /** Calls whose key is no token's, by hour (Unix seconds) and network. */
  unknown_keys: {
    hour: number;
    address: string;
    unknown: number;
    missing: number;
    first_time: number;
    last_time: number;
    endpoint: string;
  };
  /** Roll-ups, written with the rows that they sum up. `hour` is Unix seconds. */
  usage_by_user: UsageSums & { hour: number; user_id: number; model_name: string };
  usage_by_channel: UsageSums & { hour: number; channel_id: number; model_name: string };
  /** Attempts of calls at each channel, by how they ended, also those that another channel rescued. Tests are not in it. */
  attempts_by_channel: { hour: number; channel_id: number; kind: AttemptKind; attempts: number };
  /** Usage of days that are over, summed up from the hours; a day is here whole, in all four tables, or not at all. */
  usage_days: UsageSums & { day_start: number; day_end: number };
  usage_days_by_user: UsageSums & { user_id: number; day_start: number; model_name: string };
  usage_days_by_channel: UsageSums & { day_start: number; channel_id: number; model_name: string };
  /** Of all models together. */
  usage_days_of_users: UsageSums & { day_start: number; user_id: number };
  /** One row: the clean-up of the log that runs, or the last one. */
  log_cleanup: {
    id: number;
    target_timestamp: number;
    state: LogCleanup['state'];
    total: number;
    deleted: number;
    /** Calls before this time may be gone; those since are all there. The roll-ups know them all. */
    cleaned_before: number;
    actor_id: number;
    node: string;
    started_time: number;
    /** When its node last said that it is at it. */
    seen_time: number;
    ended_time: number;
  };
}

/** Proving an address; a sign-in; a new password. */
export type MailPurpose = 'address' | 'login' | 'reset';

export interface UsageSums {
  request_count: number;
  failed_count: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  request_time: number;
}

export interface PreviewedList {
  prices: PriceInput[];
  /** Models whose row was refused: they keep their price. */
  refused: string[];
}

/** The columns of a channel that a change wrote: what was in them, and what it put there. */
export interface ChannelBefore {
  id: number;
  before: Record<string, string | number | boolean | null>;
  after: Record<string, string | number | boolean | null>;
  /** Where the secrets among these columns go; absent where there are none among them. */
  target?: string;
}

export type Db = Kysely<Tables> | Transaction<Tables>;
