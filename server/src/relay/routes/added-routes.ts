import type { HttpContext } from '#relay/types/call-types.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';

/** A route of another folder below the relay's paths. */
export interface AddedRoute {
  /** Its name in logs and metrics. */
  endpoint: string;
  /** Left out: the path exists with another method, which is `allow`. */
  answer?: (context: HttpContext) => Promise<void>;
  allow: string;
}

/** Routes that the relay serves but does not know. */
export interface AddedRoutes {
  /** Undefined: the path is not theirs. */
  find(method: string, path: string): AddedRoute | undefined;
  /** The error body of a path in its own form; undefined: the path is not theirs. */
  errorBody(path: string, refusal: RelayError, requestId: string): string | undefined;
}

/** For servers without further routes. */
export const noRoutes: AddedRoutes = { find: () => undefined, errorBody: () => undefined };
