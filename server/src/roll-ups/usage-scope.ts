import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { UsageSums } from '#db/tables/roll-ups.ts';

/**
 * Which calls to sum up: of a user, of a token, of a channel or of all; of all models or some. Never a channel together
 * with a user or token. A token with a user: its calls while it belonged to them.
 */
export interface UsageScope {
  userId?: number | undefined;
  /** One token, or several of a user. */
  tokenId?: number | readonly number[] | undefined;
  channelId?: number | undefined;
  /** A model name, or a prefix followed by `*`. */
  model?: string | undefined;
}

/** Units of `cost` per credit. */
export const COST_UNITS = 1000;

export const sumNames = [
  'request_count',
  'failed_count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'request_time',
  'cache_input',
  'cache_read',
  'cache_saved',
  'cost',
  'costed',
] as const satisfies readonly (keyof UsageSums)[];

export const noUsage: UsageSums = {
  request_count: 0,
  failed_count: 0,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  request_time: 0,
  cache_input: 0,
  cache_read: 0,
  cache_saved: 0,
  cost: 0,
  costed: 0,
};

export function addUsage(a: UsageSums, b: UsageSums): UsageSums {
  // Written out for speed: a page adds up thousands of rows on the thread that relays calls.
  return {
    request_count: a.request_count + b.request_count,
    failed_count: a.failed_count + b.failed_count,
    quota: a.quota + b.quota,
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    request_time: a.request_time + b.request_time,
    cache_input: a.cache_input + b.cache_input,
    cache_read: a.cache_read + b.cache_read,
    cache_saved: a.cache_saved + b.cache_saved,
    cost: a.cost + b.cost,
    costed: a.costed + b.costed,
  };
}

/** Matches one token, or each of several. */
export function isToken(column: string, tokenId: number | readonly number[]): RawBuilder<SqlBool> {
  if (typeof tokenId === 'number') return sql<SqlBool>`${sql.ref(column)} = ${tokenId}`;
  return tokenId.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${sql.ref(column)} in (${sql.join(tokenId)})`;
}

/** Matches `model_name` exactly, or by prefix as in `gpt-4*`. Case-sensitive. */
export function isModel(model: string): RawBuilder<SqlBool> {
  if (!model.endsWith('*')) return sql<SqlBool>`model_name = ${model}`;
  const beginning = model.slice(0, -1);
  // Not `like`, which ignores case on one database, nor a range, which depends on the collation on the other.
  return sql<SqlBool>`substr(model_name, 1, length(cast(${beginning} as text))) = ${beginning}`;
}

export const HOUR_S = 3600;
export const hourOf = (seconds: number): number => seconds - (seconds % HOUR_S);
export const hourFrom = (seconds: number): number => hourOf(seconds + HOUR_S - 1);
