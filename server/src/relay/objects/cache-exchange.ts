import type { Json } from '#json.ts';
import type { BookedPrice, PriceBook } from '#live/price-book.ts';
import type { AdmittedCaller } from '#relay/call/charged-call.ts';
import type { ChannelChoice, FinishedCall, HttpContext, RelayCall } from '#relay/types/call-types.ts';
import { newRelayCall } from '#relay/call/new-relay-call.ts';
import { bareRequest, type ParsedRequest } from '#relay/types/parsed-request.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { GOOGLE_CACHES } from './google-path.ts';
import { exchangeObject } from './object-exchange.ts';

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
export const cacheRelayCall = (
  context: HttpContext,
  admitted: AdmittedCaller,
  { model, ...request }: Pick<ParsedRequest, 'model' | 'inputTokens' | 'assumed'>,
): RelayCall =>
  newRelayCall(
    context,
    { ...admitted, pin: undefined },
    {
      operation: 'chat',
      dialect: 'gemini',
      request: bareRequest(model, { ...request, outputLimit: 0 }),
      endpoint: GOOGLE_CACHES,
    },
  );

/** Sends a request about a cache. The verdict has no usage yet. Never rejects for a fault of the upstream. */
export async function exchangeCache(
  context: HttpContext,
  call: RelayCall,
  choice: ChannelChoice,
  request: CacheRequest,
): Promise<FinishedCacheCall> {
  const isAnswer = (json: Json) => typeof json['name'] === 'string';
  const { object: cache, ...finished } = await exchangeObject(context, call, choice, { ...request, isAnswer });
  return { ...finished, ...(cache && { cache }) };
}
