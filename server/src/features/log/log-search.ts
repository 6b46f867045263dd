import { logType } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { userNamed } from '#features/account/user/user-named.ts';
import type { UsageScope } from '#roll-ups/usage-scope.ts';

/** The contract's filters; those for administrators may be absent. */
export interface LogFilters {
  log_type: number;
  model_name: string;
  token_id: number;
  token_name: string;
  request_id: string;
  start_timestamp: number;
  end_timestamp: number;
  failed: number;
  stream: number;
  refused?: number;
  code?: string;
  status?: number;
  username?: string;
  source_ip?: string;
  channel_id?: number;
  losing?: number;
  /** The account's tokens that match its further filters, see `tokensWithin`. */
  token_ids?: readonly number[] | undefined;
}

/** A parsed search. Undefined matches anything. */
export interface LogSearch {
  userId: number | undefined;
  /** Only set if no account has this name, or had it when it was deleted. */
  username: string | undefined;
  channelId: number | undefined;
  /** A full name, or a prefix with a star. */
  model: string | undefined;
  type: number | undefined;
  failed: boolean;
  /** Known cost above the charge. */
  losing?: boolean;
  stream: boolean | undefined;
  tokenName: string | undefined;
  /** One token, or several of the user. */
  tokenId: number | readonly number[] | undefined;
  requestId: string | undefined;
  sourceIp: string | undefined;
  /** Includes refused calls; `type` may select only them. */
  withRefused: boolean;
  /** Code or reason of a refused call, and its status. */
  code: string | undefined;
  status: number | undefined;
  /** Unix seconds, both inclusive. */
  from: number;
  to: number;
}

/** Later than any row; a whole number of hours less one second. */
export const END_OF_TIME = 4_102_444_799;

/** A search for all calls from `from` on. */
export const callsSince = (from: number): LogSearch => ({
  userId: undefined,
  username: undefined,
  channelId: undefined,
  model: undefined,
  type: logType.consume,
  failed: false,
  stream: undefined,
  tokenName: undefined,
  tokenId: undefined,
  requestId: undefined,
  sourceIp: undefined,
  withRefused: false,
  code: undefined,
  status: undefined,
  from,
  to: END_OF_TIME,
});

/** Parses the filters; `userId` restricts them to one user's rows. */
export async function searchOf(db: Db, filters: LogFilters, userId?: number): Promise<LogSearch> {
  const { log_type: type, model_name: model, stream } = filters;
  const username = userId === undefined ? filters.username || undefined : undefined;
  const code = filters.code || undefined;
  const status = filters.status || undefined;
  // Only refused calls have these.
  const effectiveType = type === logType.all && (code ?? status) !== undefined ? logType.refused : type;
  // No row has both, so the range is made empty.
  const contradicts =
    effectiveType === logType.refused
      ? filters.failed === 1 || filters.losing === 1 || stream !== 0 || (filters.channel_id ?? 0) > 0
      : (code ?? status) !== undefined;
  const requestId = filters.request_id || undefined;
  const channelId = filters.channel_id || undefined;
  const named = username === undefined ? undefined : await userNamed(db, username);
  return {
    userId: userId ?? named,
    username: named === undefined ? username : undefined,
    channelId,
    model: model === '' || model === '*' ? undefined : model,
    type: effectiveType === logType.all ? undefined : effectiveType,
    failed: filters.failed === 1,
    losing: filters.losing === 1,
    stream: stream === 0 ? undefined : stream === 1,
    tokenName: filters.token_name || undefined,
    tokenId: filters.token_ids ?? (filters.token_id || undefined),
    requestId,
    sourceIp: filters.source_ip || undefined,
    // Refused calls have no channel and no stream, and do not count as failed.
    withRefused:
      effectiveType === logType.all &&
      (filters.refused === 1 || requestId !== undefined) &&
      channelId === undefined &&
      filters.failed !== 1 &&
      filters.losing !== 1 &&
      stream === 0,
    code,
    status,
    from: filters.start_timestamp,
    to: contradicts ? filters.start_timestamp - 1 : filters.end_timestamp || END_OF_TIME,
  };
}

/** The scope that roll-ups can answer; undefined if they cannot separate these calls. */
export function scopeOf(search: LogSearch): UsageScope | undefined {
  const { userId, tokenId, channelId, model, type } = search;
  const { username, stream, tokenName, requestId, sourceIp, code, status } = search;
  const beyond = [username, stream, tokenName, requestId, sourceIp, code, status];
  if (search.losing || beyond.some((filter) => filter !== undefined)) return undefined;
  if (((userId ?? tokenId) !== undefined && channelId !== undefined) || (type ?? logType.consume) !== logType.consume)
    return undefined;
  return { userId, tokenId, channelId, model };
}
