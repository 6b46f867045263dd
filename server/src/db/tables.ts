import type {
  AccessTokenScope,
  Announcement,
  AnnouncementKind,
  AnnouncementTexts,
  AttemptKind,
  AuditDetail,
  AuditEntry,
  BackupCause,
  BackupState,
  BillQuestion,
  BillReport,
  BillVendor,
  BotFormat,
  Channel,
  ChannelJob,
  DisputeStatus,
  EventType,
  ExtraRatios,
  GatewayKind,
  GroupTokenLimits,
  IncidentKind,
  IncidentParams,
  IncidentSeverity,
  KeptBill,
  Language,
  LogCleanup,
  LogMetadata,
  LimitWait,
  ModelSwitch,
  NodeState,
  Notification,
  NotificationKind,
  OrderAttention,
  OrderCurrency,
  OrderEvent,
  OrderEventKind,
  OrderStatus,
  PriceChange,
  PriceFee,
  PriceInput,
  PriceRule,
  PriceSource,
  RefundStatus,
  ShortfallRow,
  StatusEndpoint,
  TaskButton,
  TaskMediaKind,
  TaskMode,
  TaskPlatform,
  TaskStatus,
  PlanNames,
  PlanTerms,
  SubjectLimits,
  SubscriptionSource,
  SubscriptionStatus,
  MemberSource,
  TeamRole,
  TokenLimits,
  TokenMetadata,
  VirtualModel,
  WayKind,
  WhatIfQuestion,
  WhatIfReport,
  whatIfStates,
} from '@relay-hub/contract';
import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { SpeedMeasure } from './speed-buckets.ts';

/** A file among a task's results: at the vendor's address, or stored here. */
export interface StoredTaskMedia {
  kind: TaskMediaKind;
  /** The vendor's address; empty: it came inside an answer. */
  url: string;
  /** Media type; empty: not known. */
  type: string;
  cover: string;
  title: string;
  /** Length of a sound or video; 0: not known. */
  seconds: number;
  /** Name in the store of result files; empty: not stored. */
  stored: string;
  bytes: number;
}

/** JSON columns are written as text and read as values, on both databases. */
type Json<T> = ColumnType<T, string, string>;
type OptionalJson<T> = ColumnType<T | null, string | null | undefined, string | null>;

/** `item`: of a response. `message`: the last message of a thread. */
export type UpstreamObjectKind =
  | 'response'
  | 'item'
  | 'message'
  | 'conversation'
  | 'file'
  | 'cache'
  | 'batch'
  | 'vector_store'
  | 'container'
  | 'message_container'
  | 'skill';

/** A trouble of a node, as in `PresentTrouble`. */
export interface NodeTrouble {
  kind: IncidentKind;
  object: string;
  severity: IncidentSeverity;
  params: IncidentParams;
  cause: string;
}

/** A running process of the site. */
export interface RegisteredNode {
  id: string;
  /** Its machine and, behind a space, its container. */
  host: string;
  pid: number;
  started_time: number;
  /** By the clock of the database. */
  seen_time: number;
}

export interface Tables {
  users: {
    id: Generated<number>;
    /** `team`: an account of several people. It cannot sign in, because its role is that of a guest. */
    kind: Generated<'person' | 'team'>;
    username: string;
    /** See `shapeOfName`; null for names that collided before the column existed. */
    username_shape: string | null;
    password_hash: string;
    display_name: Generated<string>;
    role: number;
    status: number;
    email: Generated<string>;
    avatar_url: Generated<string>;
    group: string;
    /** Credits that can be spent now. Only `quota/` writes `quota` and `held`. */
    quota: Generated<number>;
    /** Credits leased to nodes for calls. */
    held: Generated<number>;
    used_quota: Generated<number>;
    request_count: Generated<number>;
    created_time: number;
    last_login_time: Generated<number>;
    /** Time of the last password change; 0 = never changed. */
    password_time: Generated<number>;
    /** SHA-256 of the access token; null if there is none. */
    access_token_hash: string | null;
    access_token_hint: Generated<string>;
    access_token_time: Generated<number>;
    access_token_used_time: Generated<number>;
    /** `family`: acts without proofs of identity while the site is in family mode. */
    access_token_scope: Generated<AccessTokenScope>;
    /** Invitation code; null until it is requested. */
    aff_code: string | null;
    inviter_id: number | null;
    /** Where the account registered: IPv4 address or IPv6 /64 network; empty if not known. */
    register_ip: Generated<string>;
    /** Language of mails, and of replies to callers that name none; empty: not known. */
    language: Generated<string>;
    /** When the owner was reminded of a low balance; 0 = not since it was sufficient. */
    reminded_time: Generated<number>;
    /** The owner's threshold of reminders in credits; null: the site's, 0: never. */
    remind_quota: number | null;
    /** Mails before a limit of a token is used up. */
    limit_mails: Generated<boolean>;
    /** Days before the expiry of a token that a mail reminds of it; 0: never. */
    expiry_mail_days: Generated<number>;
    /** Mails of announcements. */
    announcement_mails: Generated<boolean>;
    /** Imported, and not to make calls before the last run of the import. */
    import_pending: Generated<boolean>;
    /** It has, or had, limits of its scopes or plans. */
    has_limits: Generated<boolean>;
    /** While it is deleted: its former name, which is free. */
    deleted_name: string | null;
    deleted_time: number | null;
  };
  /** People who may use the account of a team. Each team has one owner. */
  team_members: {
    team_id: number;
    user_id: number;
    role: TeamRole;
    /** Cost centre of keys that the member creates. */
    cost_centre: string;
    invited_by: number;
    created_time: number;
    /** When the owner offered the team to this member; 0: not. */
    offered_time: Generated<number>;
    /** Its origin, which alone may change it. */
    source: Generated<MemberSource>;
  };
  /** Open invitations, deleted when they are used. */
  team_invites: {
    id: Generated<number>;
    team_id: number;
    /** SHA-256 of the text in the link. */
    token_hash: string;
    /** Lower case; only an account with this address can accept. Empty: any account that has the link. */
    email: string;
    role: TeamRole;
    cost_centre: string;
    invited_by: number;
    created_time: number;
    expires_time: number;
  };
  /** Counters of rate limits, for nodes without Redis. */
  throttles: { name: string; count: number; ends_ms: number };
  /** Valid codes and links sent by mail. */
  mail_codes: {
    purpose: MailPurpose;
    /** Lower case. */
    email: string;
    /** SHA-256 of the requesting browser's cookie; for a link, of the link itself. */
    holder: string;
    /** Keyed with the data key: a plain hash of six digits could be reversed. */
    code_hash: string;
    user_id: number | null;
    tries: Generated<number>;
    /** Attempts from other browsers than the requesting one. */
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
    /** When the holder last proved their identity; a sign-in counts. */
    proved_time: Generated<number>;
  };
  /** Two-step verification; in force once confirmed. */
  totp: {
    user_id: number;
    seed_cipher: string;
    confirmed_time: Generated<number>;
    /** Time step of the last accepted code (30-second units): no code is accepted twice. */
    last_step: Generated<number>;
  };
  recovery_codes: { user_id: number; code_hash: string; used_time: Generated<number> };
  /** Sign-ins with a correct password that still need the second step. */
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
  /** Challenges to sign with a passkey, valid once; `holder` is the hash of the requesting cookie. */
  passkey_challenges: { holder: string; purpose: string; challenge: string; expires_time: number };
  /** Images that channel checks show to models, and who fetched them. */
  check_images: { id: string; expires_time: number };
  check_image_fetches: { image_id: string; ip: string; user_agent: string };
  /** Actions of administrators, including refused ones. */
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
    /** The team whose account was changed. */
    account_id: number | null;
    input: Json<AuditDetail['input']> | null;
    before: Json<AuditDetail['before']> | null;
    after: Json<AuditDetail['after']> | null;
  };
  /** External accounts linked to an account. The pair of issuer and subject is unique and the only link. */
  identities: {
    id: Generated<number>;
    user_id: number;
    provider: string;
    /** Issuer of OpenID Connect; empty for providers with a single issuer. */
    issuer: Generated<string>;
    subject: string;
    /** The account's name at the provider, for display only. */
    name: Generated<string>;
    created_time: number;
    used_time: Generated<number>;
  };
  /** Commands that the operator added to the Telegram bot. */
  telegram_menus: {
    id: Generated<number>;
    command: string;
    description: string;
    parse_mode: BotFormat;
    reply_message: string;
  };
  /** OAuth flows in progress; the callback consumes the row. */
  oauth_states: {
    state_hash: string;
    /** Empty: GitHub or Lark, for clients that do not say which. */
    provider: string;
    /** SHA-256 of the cookie of the browser that started the flow. */
    browser_hash: string;
    /** The user to link; null for a sign-in. */
    user_id: number | null;
    /** Encrypted JSON that verifies the callback. */
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
    token_limits: OptionalJson<GroupTokenLimits>;
    model_switch: OptionalJson<ModelSwitch>;
    limit_wait: OptionalJson<LimitWait>;
  };
  /** Keys of the management API with scopes, beside the access token of an account. */
  access_keys: {
    id: Generated<number>;
    user_id: number;
    name: string;
    /** `fingerprint` of the key. */
    key_hash: string;
    hint: string;
    /** Separated by spaces, like the addresses, of which none means all. */
    scopes: string;
    addresses: string;
    created_time: number;
    /** -1: never. */
    expired_time: number;
    used_time: number;
    used_ip: string;
  };
  /** Identity providers that manage accounts by SCIM. */
  scim_connections: {
    id: Generated<number>;
    name: string;
    /** `fingerprint` of the secret. */
    secret_hash: string;
    hint: string;
    adopts: boolean;
    admins: boolean;
    created_time: number;
    used_time: number;
    used_ip: string;
  };
  /** Accounts that a connection manages. */
  scim_users: {
    user_id: number;
    connection_id: number;
    /** Lower case of the user name at the provider. */
    user_key: string;
    external_id: string;
    /** As the provider wants it; the account may be disabled besides. */
    active: boolean;
    /** Attributes as they were sent, with those that have no effect. */
    resource: Json<Record<string, unknown>>;
    version: number;
    created_time: number;
    changed_time: number;
    /** Removed at the provider; the account is disabled and comes back under the same name or external id. */
    deleted_time: number | null;
  };
  scim_groups: {
    id: Generated<number>;
    connection_id: number;
    name: string;
    /** Lower case of the name. */
    name_key: string;
    external_id: string;
    version: number;
    created_time: number;
    changed_time: number;
  };
  scim_group_members: { group_id: number; user_id: number };
  /** Names that stand for a chain of models. */
  virtual_models: {
    id: Generated<number>;
    name: string;
    enabled: boolean;
    description: string;
    steps: Json<VirtualModel['steps']>;
    shadow: OptionalJson<NonNullable<VirtualModel['shadow']>>;
    version: number;
    updated_time: number;
    /** Name and id of the user who saved it; shadow calls are on the record of that account. */
    updated_by: string;
    updated_by_id: number;
  };
  /** Each save of a virtual model. */
  virtual_model_versions: { model_id: number; version: number; saved: Json<VirtualModel> };
  /** Addresses and networks whose requests are refused. */
  blocks: {
    id: Generated<number>;
    /** As `canonicalNetwork` writes it. */
    network: string;
    reason: string;
    created_time: number;
    created_by: string;
    /** -1: never. */
    expired_time: number;
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
  channel_undos: { id: string; actor_id: number; created_time: number; rows: Json<ChannelBefore[]> };
  /** One row per kind: the running job over many channels, or the last one. */
  channel_jobs: Omit<ChannelJob, 'failures' | 'skips' | 'state'> & {
    /** Id of the run: a stopped or superseded run must not continue under a later one's name. */
    run: string;
    state: 'running' | 'done' | 'cancelled';
    failures: Json<ChannelJob['failures']>;
    skips: Json<ChannelJob['skips']>;
    actor_id: number;
    /** Time of the last heartbeat of its node. */
    seen_time: number;
  };
  tokens: {
    id: Generated<number>;
    user_id: number;
    /** Of a team's token: the member who holds it. Never changes, so that usage of a token is usage of the member. */
    member_id: ColumnType<number | null, number | null | undefined, never>;
    name: string;
    /** SHA-256 of the key, by which calls find the token. */
    key_hash: string;
    key_cipher: string;
    key_hint: string;
    status: number;
    created_time: number;
    accessed_time: Generated<number>;
    expired_time: number;
    /** Credits that can be spent; excludes `held`, which is leased to nodes. */
    remain_quota: number;
    held: Generated<number>;
    unlimited_quota: boolean;
    used_quota: Generated<number>;
    group: string;
    enable_cache: boolean;
    /** Null: none. */
    limits: OptionalJson<TokenLimits>;
    tag: Generated<string>;
    note: Generated<string>;
    metadata: OptionalJson<TokenMetadata>;
    /** Hours for which its responses are kept, see `ResponseStoreHours`; null: as the setting says. */
    response_store_hours: ColumnType<number | null, number | null | undefined>;
    /** When it got its present key; 0: with its creation. */
    rotated_time: Generated<number>;
    /** The expiry that its owner was reminded of. */
    reminded_expiry: Generated<number>;
    deleted_time: number | null;
  };
  /** The key of a token before its last rotation, which works until `valid_until`. */
  token_old_keys: { token_id: number; key_hash: string; key_hint: string; valid_until: number };
  /**
   * Places of conversations for their prompt cache, exchanged between nodes. `revision`: of the counter
   * `conversations` when the row was written.
   */
  conversations: {
    id: string;
    channel_id: number;
    key_id: number;
    life_ms: number;
    ends_ms: number;
    revision: number;
  };
  /** Last use of keys, present and old. */
  key_uses: { key_hash: string; used_time: number; used_ip: string };
  /** Replies to requests with an `Idempotency-Key`, encrypted. `claim`: hash of user and key. */
  repeated_requests: { claim: string; request_hash: string; reply_cipher: string; created_time: number };
  /**
   * Use of a limit in a period that began at `starts`: of a scope (see `limit-scope.ts`), by name of the cap. `held` is
   * leased to nodes, for open calls and for those to come; it is the sum of `limit_leases` with the same key. A row goes when a later period has begun
   * and none of its calls is open. `warned_percent`: of the last warning.
   */
  limit_counters: {
    scope: string;
    name: string;
    starts: number;
    ends: number;
    used: number;
    held: number;
    /** The account whose row guards it. */
    user_id: number;
    /** 0: not the limit of a token. */
    token_id: number;
    warned_percent: Generated<number>;
  };
  /** What a node may admit without asking. `spare`: it may be more than its open calls need; `recalled`: others ask for it. */
  limit_leases: {
    scope: string;
    name: string;
    starts: number;
    node: string;
    amount: number;
    user_id: number;
    spare: Generated<boolean>;
    recalled: Generated<boolean>;
  };
  /** Limits of accounts, members and cost centres, by scope. */
  limit_rules: { scope: string; user_id: number; limits: Json<SubjectLimits>; updated_time: number };
  /**
   * Use of the limits of channels (`c12`), of their keys (`k34`), and of keys by model (`k34 gpt-4o`), by name of the
   * cap. A minute has a row per second.
   */
  channel_limit_uses: { scope: string; name: string; starts: number; ends: number; amount: number };
  /** Calls of a node in progress within limits on calls at once. */
  channel_calls: { scope: string; node: string; calls: number };
  /** Limits that replies of providers have named, by key and upstream model. `full_until`: Unix milliseconds; 0: there was room. */
  learnt_limits: {
    key_id: number;
    model: string;
    name: string;
    amount: number;
    full_until: number;
    seen_time: number;
  };
  prices: {
    /** Never reused: log rows refer to the version they were charged with. */
    version: Generated<number>;
    model: string;
    type: 'tokens' | 'times';
    channel_type: number;
    input: number;
    output: number;
    extra_ratios: Json<ExtraRatios>;
    rules: Json<PriceRule[]>;
    fees: Json<PriceFee[]>;
    valid_from: number;
    /** Null while the price is in force. */
    valid_to: number | null;
    source: Generated<PriceSource>;
    /** The changes that started and ended it; null for the server itself. */
    begun_by: number | null;
    ended_by: number | null;
  };
  /** Own purchase prices of channels. Ids are never reused: log rows refer to them. */
  purchase_prices: {
    id: Generated<number>;
    channel_id: number;
    model: string;
    type: 'tokens' | 'times';
    input: number;
    output: number;
    extra_ratios: Json<ExtraRatios>;
    rules: Json<PriceRule[]>;
    fees: Json<PriceFee[]>;
    currency: string;
    /** Dollars for one unit of the currency. */
    rate: number;
    valid_from: number;
    /** Replaced, and kept for log rows that refer to it; 0: in force. */
    removed_time: Generated<number>;
  };
  /** Past months priced again; at most one is running. `seen_time`: of the last heartbeat of its node. */
  what_ifs: {
    id: Generated<number>;
    created_time: number;
    actor: string;
    question: Json<WhatIfQuestion>;
    state: (typeof whatIfStates)[number];
    total: number;
    done: number;
    node: string;
    seen_time: number;
    ended_time: number;
    error: string;
    report: OptionalJson<WhatIfReport>;
  };
  /** Months of providers' bills. The report of a closed one is not computed again. */
  bills: {
    id: Generated<number>;
    provider: string;
    month: string;
    origin: KeptBill['origin'];
    closed: boolean;
    updated_time: number;
    question: Json<BillQuestion & { from: string; to: string }>;
    report: Json<BillReport>;
    events: Json<KeptBill['events']>;
  };
  /** Accounts whose bills are fetched with a key of their own. */
  bill_sources: {
    id: Generated<number>;
    vendor: BillVendor;
    name: string;
    base_url: string;
    key_cipher: string;
    key_hint: string;
    channel_ids: Json<number[]>;
    fetched_time: number;
    last_error: string;
  };
  /** Tests and checks of channels by hour. `cost` in thousandths of a credit; `unknown`: calls of unknown cost. */
  own_usage: {
    hour: number;
    channel_id: number;
    model_name: string;
    calls: number;
    failed: number;
    prompt_tokens: number;
    completion_tokens: number;
    cost: number;
    unknown: number;
  };
  /** Price changes, one row per step. */
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
  /** Fetched price lists under review, until they are applied or discarded. */
  price_previews: {
    id: string;
    actor_id: number;
    source: string;
    /** Fingerprint of the prices in force at that time. */
    in_force: string;
    list: Json<PreviewedList>;
    created_time: number;
  };
  model_owners: { id: number; name: string; icon: string };
  /** Settings that differ from the default; secrets are encrypted. */
  options: { key: string; value: string };
  /** Null: the default. A secret is recorded as dots. */
  option_changes: {
    id: Generated<number>;
    key: string;
    before: string | null;
    after: string | null;
    actor_id: number;
    created_time: number;
  };
  /** Change counters that every node watches, one per kind. */
  revisions: { name: string; value: number };
  /** Users that changes of keys and accounts concern; `revision`: the counter `users` at the last one. */
  changed_users: { user_id: number; revision: number };
  /** Running processes, so that others can release the calls of a dead one. */
  nodes: RegisteredNode & {
    /** Its last report; null: none yet, or of a version before these. */
    state: OptionalJson<NodeState>;
  };
  /**
   * Credits that a node may admit calls against without a query: deducted from the balance, not yet in the ledger.
   * `token_id` 0 is the user's own lease; others are deducted from their token's quota.
   */
  leases: { user_id: number; token_id: number; node: string; credits: number; recalled: Generated<boolean> };
  /** How far a node's journal has been applied. `closed`: the node died and its open calls were released. */
  journals: { node: string; applied: number; closed: boolean };
  redemptions: {
    id: Generated<number>;
    /** Creator. */
    user_id: number;
    name: string;
    /** SHA-256 of the code, by which it is found. */
    key_hash: string;
    key_cipher: string;
    key_hint: string;
    status: number;
    quota: number;
    created_time: number;
    expired_time: number;
    /** 0 while not redeemed, like the user below. */
    redeemed_time: Generated<number>;
    redeemed_user_id: Generated<number>;
    /** As for users: until the last run it can only be redeemed at the old side. */
    import_pending: Generated<boolean>;
    deleted_time: number | null;
    /** The plan that it gives; null: credits only. */
    plan_id: number | null;
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
  /**
   * Days that have balanced, up to a midnight of UTC; several quiet ones share a row. A row covers entries and rows of the
   * log by their ids, see `signed-days.ts`.
   */
  signed_days: {
    until: number;
    /** Time of the earliest entry or row. */
    first_time: number;
    entries_after: number;
    entries_to: number;
    rows_after: number;
    rows_to: number;
    entries: number;
    /** Rows of calls. */
    rows: number;
    /** Calls that its charges are of, which folding does not change, and sums of all entries and of charges. */
    calls: number;
    credits: number;
    charged: number;
    shortfall: number;
    shortfall_calls: number;
    signed_time: number;
    /** Each over the digest of the day before, too. Entries other than charges never change. */
    other_digest: string;
    charges_digest: string;
    rows_digest: string;
    /** The last calls that could not be charged in full. */
    shortfalls: Json<ShortfallRow[]>;
  };
  /**
   * Sums of all signed days. `user`: entries, `charged`: charges, both of a user; `token`: its calls; `limit`: use of a
   * running period of a token, before refunds, with `name` and start as name.
   */
  signed_sums: { kind: 'user' | 'charged' | 'token' | 'limit'; id: number; name: string; credits: number };
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
    /** Prompt tokens served from the provider's cache, however it counts them. */
    cached_tokens: number;
    channel_id: number;
    request_time: number;
    is_stream: boolean;
    source_ip: string;
    failed: boolean;
    /** Known costs of its attempts in thousandths of a credit; null: none. */
    cost: Generated<number | null>;
    metadata: Json<LogMetadata> | null;
  };
  /**
   * Calls refused before any channel was tried; equal refusals of a token within an hour share a row. Ids start above
   * those of `logs`, see `FIRST_REFUSAL`.
   */
  refusals: {
    id: Generated<number>;
    user_id: number;
    token_id: number;
    /** Unix seconds. */
    hour: number;
    reason: string;
    /** Empty: unknown, or several if `many_models`. */
    model_name: string;
    many_models: boolean;
    code: string;
    status: number;
    count: number;
    first_time: number;
    first_request_id: string;
    /** The columns from here on describe the last call. */
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
  /** Calls with an unknown or missing key, by hour (Unix seconds) and network. */
  unknown_keys: {
    hour: number;
    address: string;
    unknown: number;
    missing: number;
    first_time: number;
    last_time: number;
    endpoint: string;
  };
  /** On PostgreSQL, sums of batches that are not in the roll-ups yet; see `pending-sums.ts`. */
  pending_sums: {
    id: Generated<number>;
    /** By the clock of the database. */
    created_time: Generated<number>;
    calls: number;
    /** Rows by table, each with the values of its columns. */
    sums: Json<Record<string, (string | number | null)[][]>>;
  };
  /** Roll-ups, written with the rows that they sum, or soon after them. `hour` is Unix seconds. */
  usage_by_user: UsageColumns & { hour: number; user_id: number; model_name: string };
  usage_by_channel: UsageColumns & { hour: number; channel_id: number; model_name: string };
  /** Sums equal those of `usage_by_user`. Token 0: calls before migration 0040 whose rows were gone. */
  usage_by_token: UsageColumns & { hour: number; user_id: number; token_id: number; model_name: string };
  /** Histograms of successful calls; see `speed-buckets.ts`. */
  speeds_by_token: SpeedCount & { hour: number; user_id: number; token_id: number; model_name: string };
  speeds_by_channel: SpeedCount & { hour: number; channel_id: number; model_name: string };
  /** Failed calls by the outcome of their last attempt. Channel 0: no channel was reached. */
  failures: {
    hour: number;
    user_id: number;
    token_id: number;
    channel_id: number;
    model_name: string;
    kind: AttemptKind;
    calls: number;
  };
  /** Attempts per channel by outcome, including those that another channel made up for. Tests are excluded. */
  attempts_by_channel: { hour: number; channel_id: number; kind: AttemptKind; attempts: number };
  /** Attempts by key of the last days, for read views; about equal to `attempts_by_channel`. */
  attempts_by_key: { channel_id: number; hour: number; key_id: number; attempts: number; failures: number };
  /** Calls of the status page: all, failed ones, and times to the first token by `speed-buckets.ts`; else bucket 0. */
  calls_by_endpoint: {
    hour: number;
    endpoint: StatusEndpoint;
    measure: 'calls' | 'failed' | 'first';
    bucket: number;
    calls: number;
  };
  /** Usage of finished days, summed from hours; a day is in all tables of days or in none. */
  usage_days: UsageColumns & { day_start: number; day_end: number };
  usage_days_by_user: UsageColumns & { user_id: number; day_start: number; model_name: string };
  usage_days_by_channel: UsageColumns & { day_start: number; channel_id: number; model_name: string };
  /** All models together. */
  usage_days_of_users: UsageColumns & { day_start: number; user_id: number };
  /** Whole months of sealed days; a month is in both tables or in none. */
  usage_months: { month_start: number; month_end: number };
  usage_months_of_users: UsageColumns & { month_start: number; user_id: number };
  usage_days_by_token: UsageColumns & { user_id: number; day_start: number; token_id: number; model_name: string };
  speed_days_by_token: SpeedCount & { user_id: number; day_start: number; token_id: number; model_name: string };
  speed_days_by_channel: SpeedCount & { day_start: number; channel_id: number; model_name: string };
  payment_gateways: {
    id: Generated<number>;
    type: GatewayKind;
    uuid: string;
    name: string;
    icon: string;
    notify_domain: string;
    currency: OrderCurrency;
    /** Cents of USD. */
    fixed_fee_minor: number;
    /** Units of 0.0001: 300 = 3 %. */
    percent_fee_bp: number;
    /** Fields of the type that are not secret. */
    config: Json<Record<string, string>>;
    /** Encrypted JSON object of the secret fields. */
    secrets_cipher: string;
    sort: number;
    enable: boolean;
    created_at: number;
    updated_at: number;
    last_notice_at: Generated<number>;
    last_refused_at: Generated<number>;
    deleted_time: number | null;
  };
  /** `most_active`, `most_total` of an account: 0 for any number. */
  plans: {
    id: Generated<number>;
    enabled: boolean;
    sort: number;
    names: Json<PlanNames>;
    descriptions: Json<PlanNames>;
    most_active: number;
    most_total: number;
    stock: number | null;
    created_time: number;
    updated_time: number;
  };
  /** Never changed. */
  plan_versions: {
    id: Generated<number>;
    plan_id: number;
    number: number;
    valid_from: number;
    terms: Json<PlanTerms>;
    created_time: number;
  };
  subscriptions: {
    id: Generated<number>;
    user_id: number;
    plan_id: number;
    version_id: number;
    /** Of the next period; null: the same. */
    next_version_id: number | null;
    status: SubscriptionStatus;
    source: SubscriptionSource;
    renew: boolean;
    beyond: boolean;
    /** When the period `anchor_number` began; edges of later ones are counted from there. */
    anchor: number;
    anchor_number: number;
    /** Number and end of the present period. */
    period: number;
    ends: number;
    /** The period whose end its owner was reminded of. */
    reminded_period: Generated<number>;
    /** Unique by account: a repeated purchase is the first one. */
    request_key: string | null;
    created_time: number;
    updated_time: number;
  };
  /** A period is paid and granted once, by its number. Its use is in `limit_counters`, scope `p` and its id. */
  subscription_periods: {
    id: Generated<number>;
    subscription_id: number;
    number: number;
    user_id: number;
    version_id: number;
    starts: number;
    ends: number;
    /** Its end with grace. */
    usable_until: number;
    price: number;
    /** Null: no limit. */
    granted: number | null;
    /** Rest of a smaller plan. */
    rolled_over: number;
    /** Taken out by a change or a refund, and counted as used. */
    moved: Generated<number>;
    refunded: Generated<number>;
    /** No call begins in it any more. */
    closed: Generated<boolean>;
    created_time: number;
  };
  orders: {
    id: Generated<number>;
    user_id: number;
    gateway_id: number;
    trade_no: string;
    /** The gateway's number of the payment; empty until it is known. */
    gateway_no: Generated<string>;
    /** The gateway's number of the payment page, where it has a separate one. */
    session_no: Generated<string>;
    /** Whole USD. */
    amount: number;
    /** Cents of USD, like the discount. */
    fee_minor: number;
    discount_minor: number;
    order_minor: number;
    order_currency: OrderCurrency;
    rate: string;
    quota: number;
    status: OrderStatus;
    attention: Generated<OrderAttention>;
    /** JSON of `StartedPayment`, to resume the payment; empty before the gateway has responded. */
    start: Generated<string>;
    source_ip: string;
    /** Of log texts, as the payer chose it. */
    language: Language;
    created_at: number;
    updated_at: number;
    expires_at: Generated<number>;
    paid_at: Generated<number>;
    refunded_minor: Generated<number>;
    refunded_quota: Generated<number>;
    receipt_no: Generated<string>;
    /** The inviter whom this order rewarded. */
    inviter_id: number | null;
    /** The plan that its credits buy; null: none. */
    plan_version_id: number | null;
    reward_quota: Generated<number>;
    completed_by: number | null;
    completed_remark: Generated<string>;
    /** When a node queries the gateway next, 0 = never, and the number of queries so far. */
    query_at: Generated<number>;
    queries: Generated<number>;
    /** Last query on behalf of a person. */
    queried_at: Generated<number>;
  };
  /** Timelines of orders. `order_id` 0: notifications that belong to no order. */
  order_events: {
    id: Generated<number>;
    order_id: number;
    gateway_id: number;
    kind: OrderEventKind;
    created_at: number;
    last_at: number;
    count: number;
    checks: Json<OrderEvent['checks']>;
    facts: Json<Record<string, string>>;
    /** Request or response, cut and without secrets. */
    evidence: string;
    /** Hash by which equal events are counted instead of repeated; empty: never. */
    print: string;
  };
  refunds: {
    id: Generated<number>;
    order_id: number;
    refund_no: string;
    /** Idempotency key of the client. */
    reference: string;
    quota: number;
    taken_quota: number;
    minor: number;
    status: RefundStatus;
    reason: string;
    remark: string;
    by_hand: boolean;
    gateway_refund_no: Generated<string>;
    credit_note_no: Generated<string>;
    reward_taken: Generated<number>;
    reward_short: Generated<number>;
    actor_id: number;
    created_at: number;
    updated_at: number;
    query_at: Generated<number>;
    queries: Generated<number>;
  };
  disputes: {
    id: Generated<number>;
    order_id: number;
    gateway_id: number;
    dispute_no: string;
    minor: number;
    held_quota: number;
    loss_quota: number;
    status: DisputeStatus;
    reason: string;
    created_at: number;
    due_at: Generated<number>;
    closed_at: Generated<number>;
  };
  /** Last number of each series of receipts and credit notes, without gaps. */
  number_series: { name: string; value: number };
  tasks: {
    id: Generated<number>;
    /** Our id, by which callers know the task. */
    task_id: string;
    platform: TaskPlatform;
    action: string;
    model: string;
    mode: TaskMode | '';
    /** The upstream's answer code, where the platform has one. */
    code: Generated<number>;
    status: TaskStatus;
    progress: Generated<number>;
    created_at: number;
    updated_at: number;
    submit_ms: number;
    start_ms: Generated<number>;
    finish_ms: Generated<number>;
    fail_reason: Generated<string>;
    prompt: Generated<string>;
    prompt_en: Generated<string>;
    description: Generated<string>;
    state: Generated<string>;
    buttons: ColumnType<TaskButton[], string | undefined, string>;
    data: Json<unknown> | null;
    properties: ColumnType<Record<string, unknown>, string | undefined, string>;
    /** Result files. Addresses are the vendor's. */
    media: ColumnType<StoredTaskMedia[], string | undefined, string>;
    /** State that the vendor's adapter keeps for its polls. */
    vendor: ColumnType<Record<string, unknown>, string | undefined, string>;
    /** Request fields that the caller's dialect repeats, such as model, length and size. */
    request: ColumnType<Record<string, unknown>, string | undefined, string>;
    /** Finds the task when its submission is sent again; empty: it is not. */
    request_key: Generated<string>;
    /** When its caller deleted it, in Unix seconds; it is kept for the books. 0: not deleted. */
    hidden_at: Generated<number>;
    /** The vendor's address of the picture. */
    image_url: Generated<string>;
    /** Credits charged, and how many of them the token's quota covered. Written with the charge. */
    quota: Generated<number>;
    token_quota: Generated<number>;
    refunded: Generated<boolean>;
    /** Credits of the charge that were kept, where the result decides about them; null: all, or none if refunded. */
    settled_quota: ColumnType<number | null, undefined, number>;
    /** Of the call that was charged. */
    request_id: string;
    user_id: number;
    token_id: number;
    channel_id: number;
    /** Provider, key and address of the channel at submission: the task goes on when it is changed or deleted. */
    channel_type: Generated<number>;
    key_id: number;
    key_cipher: string;
    base_url: string;
    /** Empty: not known, because the answer was lost. */
    upstream_id: Generated<string>;
    upstream_model: Generated<string>;
    parent_task_id: Generated<string>;
    notify_hook: Generated<string>;
    /** The state that was last announced to `notify_hook`. */
    notified_status: Generated<string>;
    notified_progress: Generated<number>;
    /** The node that polled last. */
    polled_by: Generated<string>;
    /** When to poll next, also the end of a running poll's lease; 0: never. Unix seconds, like the deadline. */
    next_poll_at: number;
    polls: Generated<number>;
    /** Consecutive answers of the upstream without this task. */
    missed: Generated<number>;
    /** Consecutive polls without a usable answer, and those whose answer was not understood. */
    unanswered: Generated<number>;
    odd: Generated<number>;
    /** The vendor can stop it while it runs. */
    cancellable: Generated<boolean>;
    deadline: number;
  };
  /** Rate limit of polls, for channels that take one task per request. */
  task_paces: {
    channel_id: number;
    free_at_ms: number;
  };
  /** Submissions that are running and may be sent again meanwhile. */
  task_claims: {
    request_key: string;
    created_at: number;
  };
  /** Result files that are still to be copied into the store. A row is deleted when its file is stored, or given up. */
  task_fetches: {
    id: Generated<number>;
    /** The task, which may not be written yet, and the file's index among its results. */
    task_id: string;
    position: number;
    created_at: number;
    /** When to try next, also the end of a running attempt's lease. Unix seconds. */
    next_at: number;
    attempts: Generated<number>;
  };
  /** States of tasks that are announced to the addresses of their callers. */
  task_notifications: {
    id: Generated<number>;
    /** `id` of the task. */
    task: number;
    /** The same at each attempt, so that receivers recognise repetitions. */
    message_id: string;
    is_final: boolean;
    created_at: number;
    /** When to send next, also the end of a running attempt's lease; 0: never. Unix seconds. */
    next_at: number;
    attempts: Generated<number>;
    /** 0: not delivered. */
    delivered_at: Generated<number>;
    /** Why the last attempt failed. */
    failure: Generated<string>;
  };
  /** Objects that a provider keeps, such as responses and files, by the channel and key that hold them. */
  upstream_objects: {
    kind: UpstreamObjectKind;
    /** The provider's id. */
    object_id: string;
    /** The owner; no other user can refer to it. */
    user_id: number;
    token_id: number;
    channel_id: number;
    key_id: number;
    /** The object that it belongs to, such as an item's response; empty: none. */
    parent_id: Generated<string>;
    /** Tokens of the conversation that it continues, for the reservation of the next call. */
    tokens: Generated<number>;
    /** The entry in lists, as JSON; empty: none. */
    data: Generated<string>;
    created_at: number;
    expires_at: number;
  };
  /** Responses of channels whose provider keeps none. */
  /** Secrets for realtime sessions. */
  client_secrets: {
    secret_hash: string;
    token_id: number;
    /** Configuration of the session as JSON, encrypted. */
    session_cipher: string;
    created_at: number;
    expires_at: number;
  };
  stored_responses: {
    response_id: string;
    user_id: number;
    token_id: number;
    /** The response that it continues; empty: none. */
    previous_id: Generated<string>;
    /** Input and response, encrypted. */
    content_cipher: string;
    /** The process that makes it in the background; empty: it has ended. */
    node: Generated<string>;
    created_at: number;
    expires_at: number;
  };
  /** Replies that are sent again to equal requests. */
  cached_replies: {
    /** Keyed hash of user, group and request. */
    key: string;
    /** The user whose call made the reply. */
    user_id: number;
    /** The reply and the facts of its charge, encrypted. */
    reply_cipher: string;
    bytes: number;
    expires_at: number;
  };
  /** Calls that asked the reply cache, by the start of a day in UTC. `saved`: credits that hits were not charged. */
  reply_cache_uses: {
    day: number;
    /** 0: counted together, or before migration 0113. */
    user_id: number;
    token_id: number;
    model: string;
    hits: number;
    misses: number;
    saved: number;
  };
  /** Databases of other programs that were imported; `source` is the operator's name for one. */
  imports: {
    source: string;
    program: string;
    started_time: number;
    /** 0: the last run was broken off. */
    ended_time: Generated<number>;
    /** When imported users were let in; 0: not yet. */
    final_time: Generated<number>;
    runs: Generated<number>;
    /** Old id of the last log row that was taken over. */
    log_id: Generated<number>;
  };
  /** The record here that a record of an old database became. A run writes it with the record, so a broken one goes on. */
  import_records: {
    source: string;
    kind: string;
    old_id: string;
    /** 0: nothing with an id. */
    new_id: number;
    /** Fingerprints of both sides at the last run, without figures. */
    old_state: string;
    new_state: string;
    /** Figures of the old side at the last run. */
    figures: Json<ImportFigures>;
    /** Usage that was taken over without its calls. */
    used_quota: Generated<number>;
    /** Usage of the calls that were taken over into the log. */
    logged_quota: Generated<number>;
    /** The last run that found the record. */
    run: number;
  };
  /** Accounts that the first sign-in with a name at a provider is bound to, once. Lower case. */
  awaited_identities: { provider: string; name: string; user_id: number };
  notifications: {
    id: Generated<number>;
    /** 0: all administrators. */
    user_id: number;
    /** Equal ones are one row. */
    fold: string;
    kind: NotificationKind;
    severity: Notification['severity'];
    object_id: number;
    /** JSON: names, reasons, amounts. */
    params: string;
    first_time: number;
    time: number;
    count: Generated<number>;
  };
  notification_reads: { notification_id: number; user_id: number };
  incidents: {
    id: Generated<number>;
    kind: IncidentKind;
    object: string;
    /** Kind and object while it is open, so that there is one; null: closed. */
    open_key: string | null;
    severity: IncidentSeverity;
    began_at: number;
    opened_at: number;
    updated_at: number;
    closed_at: Generated<number>;
    cause: string;
    /** Names and numbers. */
    params: Json<IncidentParams>;
    acknowledged_by: Generated<string>;
    acknowledged_at: Generated<number>;
    muted_until: Generated<number>;
    note: Generated<string>;
    /** Text for the status page; null: it is not published. */
    public_words: string | null;
  };
  announcements: {
    id: Generated<number>;
    kind: AnnouncementKind;
    texts: Json<AnnouncementTexts>;
    start_time: number;
    end_time: number;
    /** Empty: all. */
    groups: Json<string[]>;
    languages: Json<Language[]>;
    dismissible: boolean;
    created_time: number;
    created_by: string;
    mail_state: Announcement['mail_state'];
    mailed: Generated<number>;
    /** The last user whose turn came. */
    mail_after: Generated<number>;
  };
  /** Troubles that only the node itself sees, for the node that looks for incidents. */
  node_troubles: { node: string; troubles: Json<NodeTrouble[]> };
  /** Charges of calls that the balance did not cover, written with their log rows. */
  shortfalls: { id: Generated<number>; user_id: number; credits: number; request_id: string; created_at: number };
  /** Events, each written in the transaction of its cause. */
  outbox: {
    id: Generated<number>;
    type: EventType;
    /** Its subject, as in `incident:5`, whose events are delivered in their order. */
    object: string;
    /** The owner of the event; 0: the site. */
    user_id: number;
    severity: IncidentSeverity;
    /** JSON, the `data` of a webhook. */
    payload: string;
    time: number;
    /** Whether its deliveries were planned. */
    planned: Generated<boolean>;
  };
  /** Ways of delivery. `user_id` 0: the site's operators. */
  ways: {
    id: Generated<number>;
    user_id: number;
    kind: WayKind;
    name: string;
    config_cipher: string;
    hint: string;
    enabled: boolean;
    events: Json<EventType[]>;
    /** Empty: all. */
    kinds: Json<IncidentKind[]>;
    severity: IncidentSeverity;
    quiet_from: string;
    quiet_to: string;
    quiet_zone: string;
    confirmed_at: Generated<number>;
    tested_at: Generated<number>;
    failure: Generated<string>;
    /** Consecutive messages that were given up. */
    failures: Generated<number>;
  };
  deliveries: {
    id: Generated<number>;
    event_id: number;
    way_id: number;
    object: string;
    status: Generated<'waiting' | 'delivered' | 'failed'>;
    attempts: Generated<number>;
    created_at: number;
    /** Of the next attempt; 0: none. */
    next_at: number;
    sent_at: Generated<number>;
    http_status: Generated<number>;
    request: Generated<string>;
    answer: Generated<string>;
    /** The service's name of the message, for replies to it. */
    ref: Generated<string>;
  };
  /** Calls of the last hours, as nodes exchange them for the cockpit. */
  call_minutes: {
    /** Unix seconds / 60. */
    minute: number;
    node: string;
    /** By the clock of the node. */
    written_time: number;
    /** JSON, see `minute-text.ts`. */
    calls: string;
  };
  backups: {
    id: Generated<number>;
    cause: BackupCause;
    actor_id: number;
    /** The machine that has the file. */
    host: string;
    /** Set while it runs: only one does. */
    lock: string | null;
    /** Time and attempt of a scheduled one: only one node makes it. */
    slot: string | null;
    state: BackupState;
    percent: Generated<number>;
    started_time: number;
    /** Time of the last heartbeat, by the clock of the database. */
    seen_time: number;
    ended_time: Generated<number>;
    /** Path of the archive; empty: there is none, or it was removed. */
    file: Generated<string>;
    bytes: Generated<number>;
    encrypted: boolean;
    /** Why it failed. */
    error: Generated<string>;
  };
  /** Uploaded images; the name is a hash of the bytes and an extension. */
  site_pictures: { name: string; type: string; base64: string; created_time: number };
  /** One row: the running clean-up of the log, or the last one. */
  log_cleanup: {
    id: number;
    target_timestamp: number;
    state: LogCleanup['state'];
    total: number;
    deleted: number;
    /** Calls before this time may have been deleted; later ones are complete. Roll-ups keep all. */
    cleaned_before: number;
    actor_id: number;
    node: string;
    started_time: number;
    /** Time of the last heartbeat of its node. */
    seen_time: number;
    ended_time: number;
  };
}

/** Figures of an imported record at the old side; and what a token was restricted to. */
export interface ImportFigures {
  name?: string;
  quota?: number;
  used?: number;
  restriction?: { models: string[]; addresses: string[] };
}

/** Verifying an address; a sign-in; a new password. */
export type MailPurpose = 'address' | 'login' | 'reset';

/** Calls in one bucket of a histogram. */
export interface SpeedCount {
  measure: SpeedMeasure;
  bucket: number;
  calls: number;
}

export interface UsageSums {
  request_count: number;
  failed_count: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  request_time: number;
  /** Input tokens of all kinds, those read from caches among them, and credits saved; since migration 0054. */
  cache_input: number;
  cache_read: number;
  cache_saved: number;
  /** Known costs of attempts in thousandths of a credit, and the charge of calls whose cost is known; since 0078. */
  cost: number;
  costed: number;
}

type LaterSum = 'cache_input' | 'cache_read' | 'cache_saved' | 'cost' | 'costed';

/** The same in roll-ups, where the sums of caches and costs are 0 unless they are given. */
type UsageColumns = Omit<UsageSums, LaterSum> & Record<LaterSum, Generated<number>>;

export interface PreviewedList {
  prices: PriceInput[];
  /** Models whose row was rejected: they keep their price. */
  refused: string[];
  /** The list does not drop the models that it has no price of. */
  isPartial?: boolean;
}

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

export type Db = Kysely<Tables> | Transaction<Tables>;
