import type { ShortfallRow } from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { JsonColumn } from './json-column.ts';

export interface LedgerTables {
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
    shortfalls: JsonColumn<ShortfallRow[]>;
  };
  /**
   * Sums of all signed days. `user`: entries, `charged`: charges, both of a user; `token`: its calls; `limit`: use of a
   * running period of a token, before refunds, with `name` and start as name.
   */
  signed_sums: { kind: 'user' | 'charged' | 'token' | 'limit'; id: number; name: string; credits: number };
  /** Charges of calls that the balance did not cover, written with their log rows. */
  shortfalls: { id: Generated<number>; user_id: number; credits: number; request_id: string; created_at: number };
}
