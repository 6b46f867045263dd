import { badRequest } from '#relay/routes/relay-error.ts';

/** What is kept at a provider, under the paths that OpenAI has for it. */
const storedObjectPath = /^\/v1\/(?:files|uploads|batches|fine_tuning|assistants|threads|vector_stores)(?=\/|$)/;

/** One name after the other. What another server may read as a step upwards, or as a slash, is no name. */
const plainPath = /^(?:\/(?!\.)(?:[\w.:~-]|%3a)+)+\/?$/i;

/** A call that is passed on as it is. */
export interface RawPath {
  /** The kind of thing it is about: `/v1/files`. */
  front: string;
  path: string;
  /** With its question mark; empty: none. */
  query: string;
}

/** What is asked of a provider itself; undefined: nothing. */
export function rawPathPrefix(method: string, path: string): string | undefined {
  // Models are listed by the relay; a fine-tuned one is deleted where it is.
  if (method === 'DELETE' && path.startsWith('/v1/models/')) return '/v1/models';
  return storedObjectPath.exec(path)?.[0];
}

/** The path and query as they are passed on. Throws a 400 for a path that could lead elsewhere at the provider. */
export function rawPathOf(front: string, url: string): RawPath {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (!plainPath.test(path)) throw badRequest('The path is not valid.');
  return { front, path, query: mark < 0 ? '' : url.slice(mark) };
}
