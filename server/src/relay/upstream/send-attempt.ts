import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Deps } from '#deps.ts';
import type { Target } from '#providers/operation.ts';
import { resolveAddress, forwardableHeaders } from './address.ts';
import type { StoredBody } from '#relay/forms/spool.ts';
import { streamHeaders } from '#relay/routes/headers.ts';
import { setDroppedHeader } from '#relay/routes/routing-fields.ts';
import { send, type AttemptLimits } from './send.ts';
import { sendParts } from './send-parts.ts';
import { type AttemptResult, keyFailure } from './attempt-result.ts';
import type { ShutdownState } from '#relay/call/shutdown-state.ts';
import type { PlannedAttempt, RelayCall } from '#relay/call/types.ts';

/** Sends what a channel is asked, to where its key leads. Never rejects. */
export function sendAttempt(
  deps: Deps,
  call: RelayCall,
  ready: PlannedAttempt,
  response: ServerResponse,
  stopping: ShutdownState,
): Promise<AttemptResult> {
  const { body, moreBodies: further } = ready.outgoing;
  if (call.dropped) setDroppedHeader(response, call.dropped, ready.outgoing.passesRoutingFields === true);
  const { timeouts, onGone } = ready.choice.channel;
  if (!further) return sendOne(deps, call, ready, body, { timeouts, onGone }, response, stopping);
  // What is begun is read to its end, where its usage stands: each of them is short.
  const terms: AttemptLimits = { timeouts, onGone: { policy: 'drain' } };
  return sendParts([body, ...further], (part) => sendOne(deps, call, ready, part, terms, response, stopping), {
    totalMs: timeouts.totalMs,
    left: () => response.destroyed,
  });
}

/** Never rejects. */
function sendOne(
  deps: Deps,
  call: RelayCall,
  { choice, outgoing }: PlannedAttempt,
  body: Buffer,
  terms: AttemptLimits,
  response: ServerResponse,
  stopping: ShutdownState,
): Promise<AttemptResult> {
  const { stream, streamType, storedBody: stored } = outgoing;
  const startStream = (contentType: string) =>
    response.writeHead(200, streamHeaders(call.requestId, streamType ?? contentType, call.rate));
  const caller = { response, stream, startStream, claim: call.claim };
  let target: Target | Promise<Target>;
  try {
    target = resolveAddress(deps, choice, {
      stream: call.request.stream,
      body,
      contentType: outgoing.contentType,
      request: call.request.json,
      callerPath: call.callerPath,
      callerHeaders: forwardableHeaders(call, choice),
    });
  } catch (error) {
    return Promise.resolve(keyFailure(error));
  }
  if (!stored && !(target instanceof Promise)) return send(deps.upstreams, target, body, terms, caller, stopping);
  const sendBody = (to: Target, bytes: Buffer | Readable) => send(deps.upstreams, to, bytes, terms, caller, stopping);
  return Promise.resolve(target).then(
    (to) => (stored ? sendStored(to, stored, sendBody) : sendBody(to, body)),
    keyFailure,
  );
}

/** Reads what is sent from the disk, anew for each attempt. */
async function sendStored(
  target: Target,
  { length, open }: StoredBody,
  sendBody: (target: Target, bytes: Readable) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const bytes = open();
  try {
    return await sendBody({ ...target, headers: { ...target.headers, 'content-length': String(length) } }, bytes);
  } finally {
    bytes.destroy();
  }
}
