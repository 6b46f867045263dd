import { badRequest } from '#relay/reply/relay-error.ts';

/** Objects stored at the provider, under OpenAI's paths. */
const storedObjectPath =
  /^\/v1\/(?:files|uploads|batches|fine_tuning|assistants|threads|vector_stores|containers)(?=\/|$)/;

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

/** Prefix of a path that is passed through; undefined: another path. */
export function rawPathPrefix(method: string, path: string): string | undefined {
  // The relay lists models; a fine-tuned model is deleted at its provider.
  if (method === 'DELETE' && path.startsWith('/v1/models/')) return '/v1/models';
  return storedObjectPath.exec(path)?.[0];
}

/** Splits path and query. Throws a 400 for a path that could lead elsewhere at the provider. */
export function rawPathOf(prefix: string, url: string): RawPath {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (!plainPath.test(path)) throw badRequest('The path is not valid.');
  return { prefix, path, query: mark < 0 ? '' : url.slice(mark) };
}
