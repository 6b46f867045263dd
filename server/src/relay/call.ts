import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import { clientIp } from '#http/client-ip.ts';
import { type Admitted, attemptAll, type Ended } from './attempts.ts';
import { authenticated, noQuota } from './authenticate.ts';
import { choose, estimate, type Tried, type Wanted } from './choose.ts';
import type { ParsedRequest } from './dialects/open-ai.ts';
import { callHeaders, streamHeaders } from './headers.ts';
import { parseJson, readBody } from './read-body.ts';
import type { Stopping } from './send.ts';
import { settlementOf } from './settlement.ts';

/** An endpoint of the relay, as one request asks for it. */
export interface Relayed {
  operation: Wanted['operation'];
  dialect: DialectId;
  endpoint: string;
  asList?: boolean;
  parse(json: unknown): ParsedRequest;
}

/** Takes a call from its request to its charge. Throws a `RelayError` for what is refused before anything is sent. */
export async function relayCall(
  deps: Deps,
  { operation, dialect, endpoint, asList = false, parse }: Relayed,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  stopping: Stopping,
): Promise<void> {
  const startMs = performance.now();
  const { caller, group, pin, except } = await authenticated(deps, request, dialect);
  const body = await readBody(request);
  const wanted: Wanted = { group, pin, except, operation, dialect, request: parse(parseJson(body)) };
  const choice = choose(deps, wanted, none);
  const call: Admitted = {
    ...wanted,
    caller,
    requestId,
    endpoint,
    startMs,
    startedS: deps.now(),
    asList,
    sourceIp: clientIp(request, deps.config.trustedProxies),
    reserved: estimate(choice.rates, wanted.request, deps.live.settings.PreConsumedQuota),
  };

  // Before anything goes upstream, the call is on record and paid for.
  const { userId, tokenId, unlimited } = caller;
  const asked = deps.book.reserve({
    requestId,
    userId,
    tokenId,
    limited: !unlimited,
    reserved: call.reserved,
    priceVersion: choice.price.version,
    model: choice.billedModel,
  });
  const hold = asked instanceof Promise ? await asked : asked;
  if (typeof hold === 'string') throw noQuota(hold);

  const ended = await attemptAll(deps, call, choice, body, response, stopping);
  if (ended.verdict.said !== undefined) await countSaid(deps, ended);
  // The charge is written down before the last byte leaves: what a caller has in full is never lost.
  deps.book.settle(hold, settlementOf(call, ended, deps.now()));
  finish(response, requestId, ended);
}

/** Counts an answer whose usage was not told, off this thread; it stays labelled as an estimate. */
async function countSaid({ tokenizer }: Deps, { verdict, choice }: Ended): Promise<void> {
  const { tokens } = await tokenizer.countTokens([verdict.said], choice.upstreamModel);
  verdict.usage = { ...verdict.usage, output: tokens };
}

const none: Tried = { channels: new Set(), keys: new Set() };

function finish(response: ServerResponse, requestId: string, { verdict, exchange }: Ended): void {
  const { refusal, reply, tail } = verdict;
  if (response.destroyed) return;
  if (refusal && !response.headersSent) throw refusal;
  if (refusal) {
    response.end(exchange.streamError(refusal));
  } else if (reply) {
    response.writeHead(reply.status, {
      ...callHeaders(requestId),
      'content-type': reply.contentType,
      'content-length': reply.body.length,
    });
    response.end(reply.body);
  } else {
    // A stream that brought nothing but its end still needs its head.
    if (!response.headersSent)
      response.writeHead(200, streamHeaders(requestId, exchange.streamType ?? 'text/event-stream'));
    response.end(tail);
  }
}
