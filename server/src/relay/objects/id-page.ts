import type { Json } from '#json.ts';
import { badRequest } from '#relay/reply/relay-error.ts';

/** How many entries a page has. */
interface PageSize {
  usual: number;
  most: number;
}

/**
 * One page of a list in the form of OpenAI and Anthropic, by `limit`, `order`, `after` or `after_id`, and `before` or
 * `before_id`.
 * `items`: newest first. Throws a 400 for an invalid limit.
 */
export function pageById(items: readonly Json[], query: URLSearchParams, { usual, most }: PageSize) {
  const limit = Number(query.get('limit') ?? usual);
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    throw badRequest(`'limit' is not valid: it must be a whole number from 1 to ${most}.`, 'limit');
  const sorted = query.get('order') === 'asc' ? items.toReversed() : items;
  const indexOf = (id: string): number => sorted.findIndex((item) => item['id'] === id);
  const after = query.get('after') ?? query.get('after_id');
  const before = query.get('before_id') ?? query.get('before');
  const end = before === null ? sorted.length : Math.max(0, indexOf(before));
  const start = before === null ? (after === null ? 0 : indexOf(after) + 1) : Math.max(0, end - limit);
  const data = sorted.slice(start, Math.min(end, start + limit));
  return {
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: before === null ? start + data.length < sorted.length : start > 0,
  };
}
