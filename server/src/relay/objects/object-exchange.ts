import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { isObject, type Json, parseJson } from '#json.ts';
import { targetOf } from '#providers/target.ts';
import { attemptRecord } from '#relay/call/attempts.ts';
import type { ChannelChoice, FinishedCall, HttpContext, RelayCall } from '#relay/types/call-types.ts';
import { judgeUnanswered } from '#relay/outcome/judge-failure.ts';
import { refusalForCaller } from '#relay/outcome/upstream-text.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { offeredHeaders } from '#relay/upstream/raw-headers.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { operationInput } from '#relay/upstream/address.ts';
import { send } from '#relay/upstream/send.ts';

/** A charged call about an object that a provider keeps, after its end. */
export interface FinishedObjectCall extends FinishedCall {
  /** The provider's description of the object; undefined: refused. */
  object?: Json;
}

interface ObjectRequest {
  method: 'POST' | 'PATCH';
  /** At the provider. */
  path: string;
  body: Json;
  /** Whether a reply describes the object. */
  isAnswer(json: Json): boolean;
}

/** Sends a request about an object. The usage is the assumed one. Never rejects for a fault of the upstream. */
export async function exchangeObject(
  { deps, request, response, shutdown }: HttpContext,
  call: RelayCall,
  choice: ChannelChoice,
  { method, path, body, isAnswer }: ObjectRequest,
): Promise<FinishedObjectCall> {
  const { channel, key } = choice;
  const start = Math.round(performance.now() - call.startMs);
  const target = targetOf(channel.provider, choice.operation, {
    ...operationInput(choice, false),
    callerPath: path,
    callerHeaders: offeredHeaders(request.headers),
  });
  const headers = {
    ...key.headers,
    ...target.headers,
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
  };
  const result = await send(deps.upstreams, {
    target: { ...target, headers, proxy: key.proxy, method },
    body: Buffer.from(JSON.stringify(body)),
    // Callers who disconnect are charged for their order.
    limits: { timeouts: channel.timeouts, onGone: { policy: 'drain' } },
    sink: { response, stream: undefined, startStream: () => {}, claim: undefined },
    shutdown,
  });
  const json = result.failure ? undefined : parseJson(result.body.toString('utf8'));
  const object = result.status >= 200 && result.status < 300 && isObject(json) && isAnswer(json) ? json : undefined;
  const verdict: FinishedCall['verdict'] = object
    ? {
        outcome: 'answered',
        usage: call.request.assumed!, // set for every such call
        usageSource: 'estimate',
        finishReason: undefined,
        code: 'ok',
        message: undefined,
      }
    : result.failure || result.status >= 300
      ? judgeUnanswered(choice, result)
      : failedVerdict('bad_reply', 'the answer does not describe the object', badReply());
  if (verdict.refusal) verdict.refusal = refusalForCaller(choice, verdict.refusal);
  const attempts = [attemptRecord(choice, result, verdict, start)];
  deps.meter.attempted(verdict.code, channel.provider.type);
  const firstMs = result.headMs === undefined ? undefined : start + result.headMs;
  return { choice, verdict, attempts, firstMs, ...(object && { object }) };
}

const badReply = (): RelayError =>
  new RelayError(502, 'The upstream sent an answer that does not describe the object.', {
    type: 'upstream_error',
    code: 'bad_upstream_reply',
  });
