import { badRequest } from '#relay/reply/relay-error.ts';

/** Path segments that no server can read as `..` or as a slash. */
const plainPath = /^(?:\/(?!\.)(?:[\w.:~-]|%3a)+)+\/?$/i;

/** A path that is passed through. */
export interface RawPath {
  /** For example `/v1/files`; the endpoint in logs and metrics. */
  prefix: string;
  path: string;
  /** With its question mark; empty: none. */
  query: string;
}

/** Splits path and query. Throws a 400 for a path that could lead elsewhere at the provider. */
export function rawPathOf(prefix: string, url: string): RawPath {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (!plainPath.test(path)) throw badRequest('The path is not valid.');
  return { prefix, path, query: mark < 0 ? '' : url.slice(mark) };
}
