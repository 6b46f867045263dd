import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Rates, Usage, UserGroup } from '@relay-hub/contract';
import { creditsFor, noUsage } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { clientIp } from '#http/client-ip.ts';
import type { Caller } from '#live/callers.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { Provider } from '#providers/provider.ts';
import { checkCaller, groupOf, keyOf, noQuota } from './authenticate.ts';
import type { ParsedRequest } from './dialects/open-ai.ts';
import { errorEvent } from './dialects/open-ai.ts';
import { callHeaders, streamHeaders } from './headers.ts';
import { isRepeated, spliceMembers } from './json-splice.ts';
import { modelNotFound } from './models.ts';
import { judge, type Verdict } from './judge.ts';
import { readBody } from './read-body.ts';
import { badRequest, RelayError } from './relay-error.ts';
import { send, type Stopping } from './send.ts';
import { settlementOf } from './settlement.ts';

/** An endpoint of the relay. */
export interface Relayed {
  operation: 'chat' | 'embeddings';
  endpoint: string;
  parse(json: unknown): ParsedRequest;
}

export interface Authenticated {
  caller: Caller;
  group: UserGroup;
}

/** A call that was admitted: everything that its row will need. */
export interface Call extends Authenticated {
  requestId: string;
  endpoint: string;
  request: ParsedRequest;
  channel: LiveChannel;
  operation: NonNullable<Provider['chat']>;
  /** What the upstream is asked for, and what is charged. */
  upstreamModel: string;
  billedModel: string;
  price: BookedPrice;
  rates: Rates;
  reserved: number;
  sourceIp: string;
  startMs: number;
}

/** Who calls, and for which group. Throws the refusal. */
export async function authenticated({ live, now }: Deps, request: IncomingMessage): Promise<Authenticated> {
  const key = keyOf(request.headers.authorization);
  const caller = live.callers.known(key) ?? (await live.callers.find(key));
  checkCaller(caller, now());
  return { caller, group: groupOf(caller, live) };
}

/** Takes a call from its request to its charge. Throws a `RelayError` for what is refused before anything is sent. */
export async function relayCall(
  deps: Deps,
  relayed: Relayed,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  stopping: Stopping,
): Promise<void> {
  const startMs = performance.now();
  const who = await authenticated(deps, request);
  const body = await readBody(request);
  const parsed = relayed.parse(parseJson(body));
  const call = route(deps, relayed, who, parsed, {
    requestId,
    startMs,
    sourceIp: clientIp(request, deps.config.trustedProxies),
  });
  const outgoing = outgoingBody(call, body);

  // Before anything goes upstream, the call is on record and paid for.
  const admission = await deps.book.reserve({
    requestId,
    node: deps.nodeId,
    userId: who.caller.userId,
    tokenId: who.caller.tokenId,
    credits: call.reserved,
    priceVersion: call.price.version,
    model: call.billedModel,
    now: deps.now(),
  });
  if (admission !== 'admitted') throw noQuota(admission);

  const sent = await send(
    deps.upstreams,
    {
      base: call.channel.baseUrl,
      path: call.operation.path,
      headers: {
        ...call.channel.headers,
        'content-type': 'application/json',
        accept: parsed.stream ? 'text/event-stream' : 'application/json',
        'accept-encoding': 'identity',
      },
      body: outgoing,
    },
    {
      response,
      wantsStream: parsed.stream,
      wantsUsage: parsed.wantsUsage,
      startStream: (contentType) => response.writeHead(200, streamHeaders(requestId, contentType)),
    },
    stopping,
  );
  const verdict = judge(call, sent);
  try {
    // The charge and its row are written before the last byte leaves: what a caller has in full is never lost.
    await deps.book.settle(settlementOf(call, sent, verdict, deps.now()));
  } catch (error) {
    // The book keeps trying; the answer was paid for and leaves.
    deps.log.error({ err: error, request: requestId }, 'settlement is late');
  }
  finish(response, call, verdict);
}

/** Chooses channel and price, and estimates what to reserve. Throws when there is no channel, or no price. */
function route(
  { live }: Deps,
  { operation: kind, endpoint }: Relayed,
  { caller, group }: Authenticated,
  request: ParsedRequest,
  call: Pick<Call, 'requestId' | 'startMs' | 'sourceIp'>,
): Call {
  const { model } = request;
  const channel = live.routes.pick(
    group.symbol,
    model,
    (one) => one.provider[kind] !== undefined && !(one.onlyChat && request.usesTools),
  );
  const operation = channel?.provider[kind];
  if (!channel || !operation) {
    if (!live.routes.serves(group.symbol, model) && !live.routes.rests(group.symbol, model)) throw modelNotFound(model);
    throw new RelayError(
      503,
      'server_error',
      'no_available_channel',
      `No channel of the group '${group.symbol}' can serve this request for '${model}' now.`,
    );
  }
  const target = channel.mapping.get(model);
  const upstreamModel = target?.replace(/^\+/, '') ?? model;
  const billedModel = target?.startsWith('+') ? model : upstreamModel;
  const price = live.prices.find(billedModel);
  if (!price)
    throw new RelayError(
      400,
      'invalid_request_error',
      'model_not_priced',
      `The model '${billedModel}' has no price yet, so it cannot be called. The administrator can set one.`,
      { param: 'model' },
    );
  const rates = price.ratesFor(group.ratio);
  const reserved = estimate(rates, request, live.settings.PreConsumedQuota);
  return {
    ...call,
    caller,
    group,
    endpoint,
    request,
    channel,
    operation,
    upstreamModel,
    billedModel,
    price,
    rates,
    reserved,
  };
}

/** The prompt and the caller's limit for the answer; without a limit, the operator's flat amount. */
function estimate(rates: Rates, { inputTokens, outputLimit }: ParsedRequest, flat: number): number {
  if (rates.free) return 0;
  const usage: Usage = { ...noUsage, input: inputTokens, output: outputLimit ?? 0 };
  // Limits can be absurd; what no balance can cover must still be a number that a database takes.
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    creditsFor(rates, usage) + (outputLimit === undefined && rates.type === 'tokens' ? flat : 0),
  );
}

/** The caller's bytes, with only what has to change changed. */
function outgoingBody({ request, upstreamModel }: Call, body: Buffer): Buffer {
  const changes: Record<string, string> = {};
  // A second "model" could be priced by one parser and served by another.
  if (upstreamModel !== request.model || isRepeated(body, 'model')) changes['model'] = JSON.stringify(upstreamModel);
  if (request.stream && !request.wantsUsage) changes['stream_options'] = '{"include_usage":true}';
  return Object.keys(changes).length === 0 ? body : spliceMembers(body, changes);
}

function finish(response: ServerResponse, { requestId }: Call, { refusal, reply, tail }: Verdict): void {
  if (response.destroyed) return;
  if (refusal && !response.headersSent) throw refusal;
  if (refusal) {
    response.end(errorEvent(refusal, requestId));
  } else if (reply) {
    response.writeHead(reply.status, {
      ...callHeaders(requestId),
      'content-type': reply.contentType,
      'content-length': reply.body.length,
    });
    response.end(reply.body);
  } else {
    // A stream that brought nothing but its end still needs its head.
    if (!response.headersSent) response.writeHead(200, streamHeaders(requestId, 'text/event-stream'));
    response.end(tail);
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw badRequest('The request body is not valid JSON.');
  }
}
