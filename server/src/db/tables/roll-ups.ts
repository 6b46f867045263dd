import type { AttemptKind, StatusEndpoint } from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { SpeedMeasure } from '../speed-buckets.ts';

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

export interface RollUpsTables {
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
}
