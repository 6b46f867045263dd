import type { Readable } from 'node:stream';
import type { CallTarget } from '#providers/operation.ts';
import type { HttpContext, PlannedAttempt, RelayCall } from '#relay/types/call-types.ts';
import type { StoredBody } from '#relay/forms/spool.ts';
import type { OutputCredit } from '#relay/types/stream-types.ts';
import { Guard } from '#guard/guard.ts';
import { GuardedEvents, guardTap } from '#relay/stream/guarded-events.ts';
import { streamHeaders } from '#relay/reply/headers.ts';
import { droppedIn, setDroppedHeader } from '#relay/body/routing-fields.ts';
import { forwardableHeaders, resolveAddress } from './address.ts';
import { type AttemptResult, keyFailure } from '#relay/types/attempt-result.ts';
import { sendParts } from './send-parts.ts';
import { type AttemptLimits, send } from './send.ts';

/**
 * Sends a planned attempt to its channel, in one request or several. `credit` keeps the reservation of a stream ahead;
 * undefined: it does not grow. Never rejects.
 */
export function sendAttempt(
  context: HttpContext,
  call: RelayCall,
  plan: PlannedAttempt,
  credit?: OutputCredit,
): Promise<AttemptResult> {
  const { response } = context;
  const { body, moreBodies, unread } = plan.outgoing;
  if (unread || call.dropped || call.namesDropped) {
    call.namesDropped = true;
    setDroppedHeader(response, droppedIn(call, plan.outgoing));
  }
  const { timeouts, onGone, limits: ofChannel } = plan.choice.channel;
  const keepsHeaders = ofChannel?.learn;
  const { output, growsTo = output } = call.reservation ?? {};
  if (!moreBodies)
    return sendOne(context, call, plan, {
      body,
      limits: { timeouts, onGone, keepsHeaders, output: growsTo ?? call.request.outputLimit },
      credit,
    });
  // Each part is short and reports usage at its end, so those begun are read even when the caller leaves.
  const limits: AttemptLimits = { timeouts, onGone: { policy: 'drain' }, keepsHeaders };
  return sendParts([body, ...moreBodies], (part) => sendOne(context, call, plan, { body: part, limits }), {
    totalMs: timeouts.totalMs,
    hasLeft: () => response.destroyed,
  });
}

/** Never rejects. */
function sendOne(
  { deps, response, shutdown }: HttpContext,
  call: RelayCall,
  { choice, outgoing }: PlannedAttempt,
  { body, limits, credit }: { body: Buffer; limits: AttemptLimits; credit?: OutputCredit | undefined },
): Promise<AttemptResult> {
  const { stream, streamType, storedBody } = outgoing;
  const { record, guard: rules } = call;
  let guard: Guard | undefined;
  const startStream = (contentType: string) => {
    if (record) record.contentType = streamType ?? contentType;
    response.writeHead(200, streamHeaders(call.requestId, streamType ?? contentType, call.rate));
  };
  let read = stream;
  if (stream && rules && rules.answers.length > 0) {
    const answer = (guard = rules.answer = new Guard(rules.answers, 'answer'));
    read = {
      ...stream,
      createTap() {
        const events = new GuardedEvents(answer, call.asList);
        if (answer.hooks.length > 0) rules.held = events;
        return guardTap(stream.createTap(), answer, events);
      },
    };
  }
  const sink = { response, stream: read, startStream, claim: call.claim, credit, record, guard };
  const { upstreams } = deps;
  let target: CallTarget | Promise<CallTarget>;
  try {
    target = resolveAddress(deps, choice, {
      stream: call.request.stream,
      body,
      contentType: outgoing.contentType,
      request: call.request.json,
      callerPath: call.callerPath,
      callerHeaders: forwardableHeaders(call, choice),
      changeHeaders: outgoing.changeHeaders,
    });
  } catch (error) {
    return Promise.resolve(keyFailure(error));
  }
  const { job } = choice.operation;
  if (!storedBody && !(target instanceof Promise))
    return send(upstreams, { target, body, limits, sink, shutdown, job });
  const sendTo = (to: CallTarget, bytes: Buffer | Readable) =>
    send(upstreams, { target: to, body: bytes, limits, sink, shutdown, job });
  return Promise.resolve(target).then(
    (to) => (storedBody ? sendStored(to, storedBody, sendTo) : sendTo(to, body)),
    keyFailure,
  );
}

/** Opens the stored body again for each attempt. */
async function sendStored(
  target: CallTarget,
  { length, open }: StoredBody,
  sendTo: (target: CallTarget, bytes: Readable) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const bytes = open();
  try {
    return await sendTo({ ...target, headers: { ...target.headers, 'content-length': String(length) } }, bytes);
  } finally {
    bytes.destroy();
  }
}
