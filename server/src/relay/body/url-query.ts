import type { HttpContext } from '#relay/types/call-types.ts';

/** The query of a request. */
export function queryOf({ request: { url = '' } }: Pick<HttpContext, 'request'>): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}
