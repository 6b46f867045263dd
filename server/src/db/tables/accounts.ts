import type {
  ChannelPreference,
  AccessTokenScope,
  GroupTokenLimits,
  LimitWait,
  ModelSwitch,
  MemberSource,
  TeamRole,
} from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { OptionalJsonColumn } from './json-column.ts';

export interface AccountsTables {
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
    /** Of the account in billing systems; empty: its id. */
    customer_id: Generated<string>;
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
  user_groups: {
    id: Generated<number>;
    symbol: string;
    name: string;
    ratio: number;
    api_rate: number;
    public: boolean;
    enable: boolean;
    token_limits: OptionalJsonColumn<GroupTokenLimits>;
    model_switch: OptionalJsonColumn<ModelSwitch>;
    limit_wait: OptionalJsonColumn<LimitWait>;
    /** Among channels of one priority; null: that of the site. */
    channel_preference: ChannelPreference | null;
  };
  /** Scoped keys of the management API. The access token of an account is in `users`. */
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
}
