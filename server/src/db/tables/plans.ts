import type { PlanNames, PlanTerms, SubscriptionSource, SubscriptionStatus } from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { JsonColumn } from './json-column.ts';

export interface PlansTables {
  /** `most_active`, `most_total` of an account: 0 for any number. */
  plans: {
    id: Generated<number>;
    enabled: boolean;
    sort: number;
    names: JsonColumn<PlanNames>;
    descriptions: JsonColumn<PlanNames>;
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
    terms: JsonColumn<PlanTerms>;
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
}
