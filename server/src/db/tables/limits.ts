import type { SubjectLimits } from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { JsonColumn } from './json-column.ts';

export interface LimitsTables {
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
  limit_rules: { scope: string; user_id: number; limits: JsonColumn<SubjectLimits>; updated_time: number };
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
}
