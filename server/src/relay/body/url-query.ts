import type { IncomingMessage } from 'node:http';
import { badRequest } from '#relay/reply/relay-error.ts';

/** The query of a request. */
export function queryOf({ request: { url = '' } }: { request: Pick<IncomingMessage, 'url'> }): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}

/** Splits off the query and removes a trailing slash, which some clients send. */
export function splitUrl(url: string): { path: string; query: string } {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return {
    path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path,
    query: end < 0 ? '' : url.slice(end),
  };
}

/** Decodes a model name in a path. Throws a 400 for an invalid encoding. */
export function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest('The model name in the path is not encoded correctly.', 'model');
  }
}
