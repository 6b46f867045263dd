import { clientIp } from '#http/client-ip.ts';
import type { Caller } from '#live/callers.ts';
import { metricsEndpoint } from '#relay/call/note-call.ts';
import { keySentIn } from '#relay/admission/authenticate.ts';
import { dialectOf } from './endpoints.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';
import type { CallContext } from '#relay/types/call-types.ts';

/** Concurrent key lookups for requests refused before their key was read. */
const MAX_LOOKUPS = 50;
let lookups = 0;

/**
 * Records a refused call under its token, or under its address if the key is unknown. Never throws and never delays the
 * response.
 */
export function traceRefusal(context: CallContext, endpoint: string, refusal: RelayError): void {
  const { deps, trace, request, requestId } = context;
  if (trace.recorded) return;
  const sourceIp = clientIp(request, deps.config.trustedProxies);
  const url = request.url ?? '/';
  const note = (caller: Caller): void => {
    const { status, reason } = refusal;
    const model = trace.model || modelInPath(url);
    deps.hour.refused({ caller, model, status, reason });
    deps.telemetry?.refused(request.headers, {
      requestId,
      endpoint: metricsEndpoint(endpoint),
      status,
      code: refusal.code,
      userId: caller.userId,
      tokenId: caller.tokenId,
      group: caller.tokenGroup || caller.userGroup,
      model,
    });
    deps.refusals.note({
      userId: caller.userId,
      username: caller.username,
      tokenId: caller.tokenId,
      tokenName: caller.tokenName,
      group: caller.tokenGroup || caller.userGroup,
      model,
      endpoint,
      status,
      code: refusal.code,
      reason,
      message: refusal.message,
      requestId,
      sourceIp,
      needed: trace.neededCredits,
    });
  };
  const unknown = (kind: 'unknown' | 'missing'): void => deps.refusals.noteUnknown(kind, sourceIp, endpoint);
  if (trace.caller) return note(trace.caller);
  if (refusal.reason === 'key_unknown') return unknown('unknown');
  if (refusal.reason === 'key_missing') return unknown('missing');
  // Refused before the key was read, for example for a wrong path.
  const key = keySentIn(request, dialectOf(url, request.headers));
  if (key === undefined || lookups >= MAX_LOOKUPS) return;
  const known = deps.live.callers.known(key);
  if (known) return note(known);
  lookups++;
  deps.live.callers
    .find(key)
    .then((caller) => (caller ? note(caller) : unknown('unknown')))
    .catch((error: unknown) => deps.log.debug({ err: error }, 'key lookup of a refused call failed'))
    .finally(() => lookups--);
}

/** The model in a path; empty: none. */
function modelInPath(url: string): string {
  const [, name = ''] = /^(?:\/gemini\/v\d[\w.-]*|(?:\/claude)?\/v1)\/models\/([^?:]+)/.exec(url) ?? [];
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
