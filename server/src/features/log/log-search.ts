import { logType } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import type { UsageScope } from '#roll-ups/usage-scope.ts';

/** The filters of the contract; those that only administrators have may be missing. */
export interface LogFilters {
  log_type: number;
  model_name: string;
  token_name: string;
  request_id: string;
  start_timestamp: number;
  end_timestamp: number;
  failed: number;
  stream: number;
  username?: string;
  source_ip?: string;
  channel_id?: number;
}

/** What is looked for. What is undefined may be anything. */
export interface LogSearch {
  userId: number | undefined;
  /** Only where nobody has this name now. */
  username: string | undefined;
  channelId: number | undefined;
  /** A whole name, or its beginning and a star. */
  model: string | undefined;
  type: number | undefined;
  failed: boolean;
  stream: boolean | undefined;
  tokenName: string | undefined;
  requestId: string | undefined;
  sourceIp: string | undefined;
  /** Unix seconds, both inclusive. */
  from: number;
  to: number;
}

/** Later than any row, and a whole number of hours less one second. */
export const END_OF_TIME = 4_102_444_799;

/** Reads the filters; `userId` where only that user's rows may be found. */
export async function searchOf(db: Db, filters: LogFilters, userId?: number): Promise<LogSearch> {
  const { log_type: type, model_name: model, stream } = filters;
  const username = userId === undefined ? filters.username || undefined : undefined;
  const named = username === undefined ? undefined : await userNamed(db, username);
  return {
    userId: userId ?? named,
    username: named === undefined ? username : undefined,
    channelId: filters.channel_id || undefined,
    model: model === '' || model === '*' ? undefined : model,
    type: type === logType.all ? undefined : type,
    failed: filters.failed === 1,
    stream: stream === 0 ? undefined : stream === 1,
    tokenName: filters.token_name || undefined,
    requestId: filters.request_id || undefined,
    sourceIp: filters.source_ip || undefined,
    from: filters.start_timestamp,
    to: filters.end_timestamp || END_OF_TIME,
  };
}

async function userNamed(db: Db, username: string): Promise<number | undefined> {
  const user = await db
    .selectFrom('users')
    .where(sql<boolean>`lower(username) = lower(${username})`)
    .select('id')
    .executeTakeFirst();
  return user?.id;
}

/** The calls that a search is for, as the roll-ups know them; undefined when they cannot tell those apart. */
export function scopeOf(search: LogSearch): UsageScope | undefined {
  const { userId, channelId, model, type } = search;
  const beyond = [search.username, search.stream, search.tokenName, search.requestId, search.sourceIp];
  if (beyond.some((filter) => filter !== undefined)) return undefined;
  if ((userId !== undefined && channelId !== undefined) || (type ?? logType.consume) !== logType.consume)
    return undefined;
  return { userId, channelId, model };
}
