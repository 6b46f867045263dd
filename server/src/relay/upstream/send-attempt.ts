import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Deps } from '#deps.ts';
import type { Target } from '#providers/operation.ts';
import { addressOf, headersFor } from './address.ts';
import type { Admitted } from '#relay/call/attempts.ts';
import type { Stored } from '#relay/forms/spool.ts';
import { streamHeaders } from '#relay/routes/headers.ts';
import type { Ready } from '#relay/select/ready.ts';
import { tellDropped } from '#relay/routes/routing-fields.ts';
import { send, type Terms } from './send.ts';
import { sendParts } from './send-parts.ts';
import { type Sent, unsentFor } from './sent.ts';
import type { Stopping } from '#relay/call/stopping.ts';

/** Sends what a channel is asked, to where its key leads. Never rejects. */
export function sendTo(
  deps: Deps,
  call: Admitted,
  ready: Ready,
  response: ServerResponse,
  stopping: Stopping,
): Promise<Sent> {
  const { body, further } = ready.exchange;
  if (call.dropped) tellDropped(response, call.dropped, ready.exchange.passesRoutingFields === true);
  const { timeouts, onGone } = ready.choice.channel;
  if (!further) return sendOne(deps, call, ready, body, { timeouts, onGone }, response, stopping);
  // What is begun is read to its end, where its usage stands: each of them is short.
  const terms: Terms = { timeouts, onGone: { policy: 'drain' } };
  return sendParts([body, ...further], (part) => sendOne(deps, call, ready, part, terms, response, stopping), {
    totalMs: timeouts.totalMs,
    left: () => response.destroyed,
  });
}

/** Never rejects. */
function sendOne(
  deps: Deps,
  call: Admitted,
  { choice, exchange }: Ready,
  body: Buffer,
  terms: Terms,
  response: ServerResponse,
  stopping: Stopping,
): Promise<Sent> {
  const { stream, streamType, stored } = exchange;
  const startStream = (contentType: string) =>
    response.writeHead(200, streamHeaders(call.requestId, streamType ?? contentType, call.rate));
  const caller = { response, stream, startStream, claim: call.claim };
  let target: Target | Promise<Target>;
  try {
    target = addressOf(deps, choice, {
      stream: call.request.stream,
      body,
      contentType: exchange.contentType,
      request: call.request.json,
      callerPath: call.callerPath,
      callerHeaders: headersFor(call, choice),
    });
  } catch (error) {
    return Promise.resolve(unsentFor(error));
  }
  if (!stored && !(target instanceof Promise)) return send(deps.upstreams, target, body, terms, caller, stopping);
  const sendBody = (to: Target, bytes: Buffer | Readable) => send(deps.upstreams, to, bytes, terms, caller, stopping);
  return Promise.resolve(target).then(
    (to) => (stored ? sendStored(to, stored, sendBody) : sendBody(to, body)),
    unsentFor,
  );
}

/** Reads what is sent from the disk, anew for each attempt. */
async function sendStored(
  target: Target,
  { length, open }: Stored,
  sendBody: (target: Target, bytes: Readable) => Promise<Sent>,
): Promise<Sent> {
  const bytes = open();
  try {
    return await sendBody({ ...target, headers: { ...target.headers, 'content-length': String(length) } }, bytes);
  } finally {
    bytes.destroy();
  }
}
