import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { isObject, type Json, parseJson } from '#json.ts';
import type { BookedPrice, PriceBook } from '#live/price-book.ts';
import { targetOf } from '#providers/target.ts';
import { attemptRecord } from '#relay/call/attempts.ts';
import type { AdmittedCaller } from '#relay/call/charged-call.ts';
import type { ChannelChoice, FinishedCall, HttpContext, RelayCall } from '#relay/call/types.ts';
import { judgeUnanswered } from '#relay/outcome/judge-failure.ts';
import { refusalForCaller } from '#relay/outcome/upstream-text.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import type { ParsedRequest } from '#relay/dialects/parsed-request.ts';
import { RelayError } from '#relay/routes/refusal/relay-error.ts';
import { operationInput } from '#relay/upstream/address.ts';
import { send } from '#relay/upstream/send.ts';
import { GOOGLE_CACHES } from './google-path.ts';

/** A call about a cache that has ended. */
export interface FinishedCacheCall extends FinishedCall {
  /** Google's description of the cache; undefined: refused. */
  cache?: Json;
}

interface CacheRequest {
  method: 'POST' | 'PATCH';
  /** At Google. */
  path: string;
  body: Json;
}

const PREFIX = 'cache/';

/** The price of a model's caches; undefined: the operator has set none, so there are no caches of that model. */
export function cachePrice(prices: PriceBook, model: string): BookedPrice | undefined {
  const price = prices.exact(PREFIX + model);
  return price?.type === 'tokens' ? price : undefined;
}

/** 404: without a price, the time of a cache could not be charged. */
export const cachesNotAvailable = (model: string): RelayError =>
  new RelayError(404, `Caches are not available for the model '${model.slice(0, 100)}'.`, {
    type: 'invalid_request_error',
    code: 'caches_not_available',
  });

/** A call about a cache, as the money path needs it. */
export function cacheRelayCall(
  { deps, requestId }: HttpContext,
  { caller, sourceIp, group, except, rate, startMs }: AdmittedCaller,
  request: Pick<ParsedRequest, 'model' | 'inputTokens' | 'assumed'>,
): RelayCall {
  return {
    requestId,
    startMs,
    rate,
    operation: 'chat',
    dialect: 'gemini',
    request: {
      ...request,
      stream: false,
      wantsUsage: false,
      outputLimit: 0,
      usesTools: false,
      usesImages: false,
    },
    caller,
    group,
    pin: undefined,
    except,
    endpoint: GOOGLE_CACHES,
    body: Buffer.alloc(0),
    json: undefined,
    startedS: deps.now(),
    asList: false,
    sourceIp,
    reserved: 0,
    claim: undefined,
    pictures: undefined,
  };
}

/** Sends a request about a cache. The verdict has no usage yet. Never rejects for a fault of the upstream. */
export async function exchangeCache(
  { deps, response, shutdown }: HttpContext,
  call: RelayCall,
  choice: ChannelChoice,
  { method, path, body }: CacheRequest,
): Promise<FinishedCacheCall> {
  const { channel, key } = choice;
  const start = Math.round(performance.now() - call.startMs);
  const target = targetOf(channel.provider, choice.operation, {
    ...operationInput(choice, false),
    callerPath: path,
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
  const isAnswer = result.status >= 200 && result.status < 300 && isObject(json) && typeof json['name'] === 'string';
  const verdict: FinishedCacheCall['verdict'] = isAnswer
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
      : failedVerdict('bad_reply', 'the answer is not one of a cache', badReply());
  if (verdict.refusal) verdict.refusal = refusalForCaller(choice, verdict.refusal);
  const attempts = [attemptRecord(choice, result, verdict, start)];
  deps.meter.attempted(verdict.code, channel.provider.type);
  const firstMs = result.headMs === undefined ? undefined : start + result.headMs;
  return { choice, verdict, attempts, firstMs, ...(isAnswer && { cache: json }) };
}

const badReply = (): RelayError =>
  new RelayError(502, 'The upstream sent an answer that is not one of a cache.', {
    type: 'upstream_error',
    code: 'bad_upstream_reply',
  });
