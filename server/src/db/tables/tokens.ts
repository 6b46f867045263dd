import type { TokenLimits, TokenMetadata } from '@relay-hub/contract';
import type { ColumnType, Generated } from 'kysely';
import type { OptionalJsonColumn } from './json-column.ts';

export interface TokensTables {
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
    limits: OptionalJsonColumn<TokenLimits>;
    tag: Generated<string>;
    note: Generated<string>;
    metadata: OptionalJsonColumn<TokenMetadata>;
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
  /** Last use of keys, present and old. */
  key_uses: { key_hash: string; used_time: number; used_ip: string };
  /** Replies to requests with an `Idempotency-Key`, encrypted. `claim`: hash of user and key. */
  repeated_requests: { claim: string; request_hash: string; reply_cipher: string; created_time: number };
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
}
