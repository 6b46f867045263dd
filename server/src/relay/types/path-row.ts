import type { IncomingMessage } from 'node:http';
import type { RelayError } from '#relay/reply/relay-error.ts';
import type { HttpContext } from './call-types.ts';

export type PathMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Rejects with, or throws, a `RelayError` for a refusal. `parts`: the named parts of the path, in order. */
export type PathAnswer = (context: HttpContext, parts: readonly string[]) => Promise<void>;

/** Who answers a path that calls no model. `Allow`, 404, 405 and the name in logs and metrics follow from it. */
export interface PathRow {
  /** A path with named parts in braces, see `routes/paths.ts`; `*` at its end stands for all paths below. */
  path: string;
  /** Its name in logs and metrics; left out: it has none. */
  endpoint?: string;
  /** The row holds for such requests only; left out: for all. */
  when?: (request: IncomingMessage) => boolean;
  /** A function answers every method. `GET` answers `HEAD` too. Other methods are left to the rows below. */
  answers: Partial<Record<PathMethod, PathAnswer>> | PathAnswer;
}

/** A row that was found for a path, with the parts of the path. */
export interface ServedPath extends Omit<PathRow, 'path'> {
  parts?: readonly string[];
}

/** Paths of another folder, which the relay serves but does not know. */
export interface PathOwner {
  /** Undefined: the path is not theirs. */
  find(path: string): ServedPath | undefined;
  /** The error body of a path in its own form; undefined, or left out: in that of its dialect. */
  errorBody?(path: string, refusal: RelayError, requestId: string): string | undefined;
}
