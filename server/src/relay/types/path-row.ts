import type { IncomingMessage } from 'node:http';
import type { RelayError } from '#relay/reply/relay-error.ts';
import type { HttpContext } from './call-types.ts';

export type PathMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Rejects with, or throws, a `RelayError` for a refusal. `parts`: the named parts of the path, in order. */
export type PathAnswer = (context: HttpContext, parts: readonly string[]) => Promise<void>;

/** Answers by method; a function answers every method. `GET` answers `HEAD` too. */
export type PathAnswers = Partial<Record<PathMethod, PathAnswer>> | PathAnswer;

/** Who answers a path that calls no model. `Allow`, 404, 405, errors and the name in logs and metrics follow from it. */
export interface PathRow {
  /** A path with named parts in braces, see `routes/paths.ts`; `*` at its end stands for all paths below. */
  path: string;
  /** Its name in logs and metrics; left out: it has none. */
  endpoint?: string;
  /** The row holds for such requests only; left out: for all. */
  when?: (request: IncomingMessage) => boolean;
  /**
   * Other methods are left to the rows below. Left out: a prefix of API clients, below which unknown paths get an error of
   * the relay: clients would take a page for a broken reply.
   */
  answers?: PathAnswers;
  /** Error bodies in another form than that of its dialect; left out, or undefined: in that form. */
  errorBody?: (refusal: RelayError, requestId: string) => string | undefined;
}
