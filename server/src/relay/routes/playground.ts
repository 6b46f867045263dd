import type { IncomingMessage } from 'node:http';
import { accountHeader, playgroundRoles } from '@relay-hub/contract';
import { AppError } from '#errors.ts';
import { refuseCrossSite } from '#http/session/cross-site.ts';
import { actingFor } from '#http/session/acting.ts';
import { findSignedIn, type Viewer } from '#http/session/session.ts';
import { playgroundCaller } from '#live/playground-token.ts';
import type { CallContext } from '#relay/types/call-types.ts';
import { RelayError } from '#relay/reply/relay-error.ts';

const PREFIX = '/api/playground';

/** Headers that could name another caller than the session. */
const keyHeaders = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'] as const;

/** Whether a request is a call of the console's playground, with the path of a relay endpoint behind the prefix. */
export const isPlayground = (url: string): boolean => url.startsWith(`${PREFIX}/`);

/** Turns a playground request into the same request of an API client, without any key. */
export function asRelayRequest(request: IncomingMessage): void {
  request.url = (request.url ?? '/').slice(PREFIX.length);
  for (const name of keyHeaders) delete request.headers[name];
}

/**
 * Identifies the session's user as caller of a playground request. Rejects with a 403 for a request of another site, and
 * with a 401 without a session, which includes disabled users.
 */
export async function admitSession(context: CallContext): Promise<void> {
  const { deps, request, trace } = context;
  try {
    refuseCrossSite(request, deps);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { said, expected } = error.values;
    const both = `The browser sent “${said}”, this server expected “${expected}”.`;
    throw new RelayError(403, `The playground only takes requests of its own page. ${both}`, {
      type: 'permission_error',
      code: 'cross_site',
    });
  }
  const person = await findSignedIn(request, deps);
  const viewer = person && (await playgroundOwner(request, person, deps));
  // Neither upstreams nor later steps have a use for the session.
  delete request.headers.cookie;
  delete request.headers[accountHeader];
  const caller = viewer && (await playgroundCaller(deps, viewer));
  if (!caller)
    throw new RelayError(401, 'Sign in to use the playground.', {
      type: 'invalid_request_error',
      code: 'session_none',
    });
  context.signedIn = caller;
  trace.caller = caller;
}

/** The account that the console has chosen. Rejects with a 403 unless the person may use it. */
async function playgroundOwner(request: IncomingMessage, person: Viewer, deps: CallContext['deps']): Promise<Viewer> {
  try {
    return await actingFor(person, request.headers[accountHeader], playgroundRoles, deps);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new RelayError(403, 'You may not use the playground with this account.', {
      type: 'permission_error',
      code: 'account_forbidden',
    });
  }
}
