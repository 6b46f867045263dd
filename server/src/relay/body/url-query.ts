import type { IncomingMessage } from 'node:http';

/** The query of a request. */
export function queryOf({ request: { url = '' } }: { request: Pick<IncomingMessage, 'url'> }): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}
