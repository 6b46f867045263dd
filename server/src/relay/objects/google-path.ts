import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { queryOf } from '#relay/body/url-query.ts';

export const GOOGLE_CACHES = '/gemini/cachedContents';

/** A request for files or caches of a caller. */
export interface GoogleObject extends AuthenticatedCaller {
  /** The last part of its name; empty: all of them, or a new one. */
  id: string;
}

/** Members of the query that are meant for this server: the caller's key, and a signature. */
const own = ['key', 'place', 'expires', 'sign'];

/** The path and query of a request at Google. */
export function googlePath(context: Pick<HttpContext, 'request'>): string {
  const [path = ''] = (context.request.url ?? '').split('?');
  const query = queryOf(context);
  for (const name of own) query.delete(name);
  return path.replace(/^\/gemini(?=\/)/, '').replace(/\/$/, '') + (query.size > 0 ? `?${query.toString()}` : '');
}

/** One page of a list in Google's form, by `pageSize` and `pageToken`. Throws a 400 for invalid ones. */
export function googlePage<T>(
  items: readonly T[],
  query: URLSearchParams,
  { usual, most }: { usual: number; most: number },
): { page: T[]; nextPageToken?: string } {
  const size = Number(query.get('pageSize') ?? 0);
  if (!Number.isInteger(size) || size < 0)
    throw badRequest("'pageSize' is not valid: it must be a whole number.", 'pageSize');
  const start = Number(query.get('pageToken') ?? 0);
  if (!Number.isSafeInteger(start) || start < 0)
    throw badRequest("'pageToken' is not valid: it must be that of the page before.", 'pageToken');
  const end = start + (size === 0 ? usual : Math.min(size, most));
  return { page: items.slice(start, end), ...(end < items.length && { nextPageToken: String(end) }) };
}
