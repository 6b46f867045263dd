import type { DialectId } from '#chat/codec.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import type { PathAnswer } from '#relay/types/path-row.ts';
import { type ObjectTerms, passThrough } from './pass-through.ts';

type UserAnswer = (context: HttpContext, authenticated: AuthenticatedCaller, parts: readonly string[]) => Promise<void>;

interface UserPath {
  /** The endpoint of calls that are passed through. */
  prefix: string;
  /** Decides where the API key is looked for; left out: `openai`. */
  dialect?: DialectId;
  /** Terms for a request of an administrator; left out: unchanged. */
  terms?: (context: HttpContext) => ObjectTerms;
}

/** An answer for the objects of a user. Administrators who name a channel reach its whole account instead. */
export const forUsers =
  ({ prefix, dialect, terms }: UserPath, answer: UserAnswer): PathAnswer =>
  async (context, parts) => {
    const authenticated = await authenticate(context, dialect);
    return authenticated.rawPin === undefined
      ? answer(context, authenticated, parts)
      : passThrough(context, prefix, terms?.(context));
  };
