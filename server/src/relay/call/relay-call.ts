import { performance } from 'node:perf_hooks';
import { type Buffer, isAscii } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import { clientIp } from '#http/client-ip.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import type { Rate } from '#http/limits/minute-rates.ts';
import { LARGE_BODY } from '#http/limits/whole-body.ts';
import type { Hold } from '#quota/book.ts';
import { runAttempts } from './attempts.ts';
import { authenticate, insufficientQuota } from '#relay/routes/authenticate.ts';
import { checkRate, withRate } from '#relay/routes/call-rate.ts';
import { estimate } from './estimate.ts';
import { type Form, textsIn } from '#relay/forms/form.ts';
import { readForm } from '#relay/forms/read-form.ts';
import { callHeaders, streamHeaders } from '#relay/routes/headers.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { noteCall } from './note-call.ts';
import { applySteering } from '#relay/select/model-steering.ts';
import { offeredHeaders } from '#relay/pass-through/raw-headers.ts';
import { type BodyIntake, parseJson, readBody } from '#relay/routes/read-body.ts';
import { planFirst } from '#relay/select/plan-attempt.ts';
import { internalError } from '#relay/routes/relay-error.ts';
import {
  dropFields,
  type DroppedFields,
  routingFieldsIn,
  routingPartsIn,
  setDroppedHeader,
} from '#relay/routes/routing-fields.ts';
import type { ShutdownState } from './shutdown-state.ts';
import { modelIn, type Trace } from './trace.ts';
import { settlementOf } from './settlement.ts';
import { checkBalance } from '#relay/routes/unpaid-body.ts';
import type { AuthenticatedCaller, CallRequest, FinishedAttempts, PlannedAttempt, RelayCall } from './types.ts';
import type { ParsedRequest } from '#relay/dialects/parsed-request.ts';

/** An endpoint of the relay, as one request asks for it. */
export interface CallEndpoint {
  operation: CallRequest['operation'];
  dialect: DialectId;
  endpoint: string;
  asList?: boolean;
  /** The path, in dialects that name a version and an action there. */
  callerPath?: string;
  /** The model, in dialects that name it there. */
  model?: string;
  parse(json: unknown): ParsedRequest;
  /** Reads the same as a form, where it can come as one. */
  parseForm?(form: Form): ParsedRequest;
}

/** Takes a call from its request to its charge. Throws a `RelayError` for what is refused before anything is sent. */
export async function relayCall(
  deps: Deps,
  relayed: CallEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  stopping: ShutdownState,
  trace: Trace,
): Promise<void> {
  const startMs = performance.now();
  const who = authenticate(deps, request, trace, relayed.dialect);
  const known = who instanceof Promise ? await who : who;
  const counting = checkRate(deps, known.caller);
  const rate = counting instanceof Promise ? await counting : counting;
  const claim = deps.bodies.claim(known.caller.userId);
  const intake: BodyIntake = {
    claim,
    whenLarge: (readModel) => checkBalance(deps, known, relayed, () => relayed.model ?? readModel()),
  };
  let form: Form | undefined;
  try {
    if (comesAsForm(relayed, request)) form = await readForm(request, deps.spools, intake);
    let body = form ? textsIn(form) : await readBody(request, intake);
    const json = form ? undefined : parseJson(body);
    const names = form ? routingPartsIn(form.parts) : routingFieldsIn(json);
    const dropped = names && { names, originalBody: form ? undefined : body };
    setDroppedHeader(response, dropped, false);
    if (names && !form) body = dropFields(body, json, names);
    const call = callOf(
      deps,
      relayed,
      known,
      request,
      form,
      body,
      json,
      requestId,
      startMs,
      rate,
      dropped,
      trace,
      claim,
    );
    await countedCall(deps, call, body, response, stopping, trace);
    releaseWhenSent(claim, response);
  } catch (error) {
    claim.release();
    throw withRate(error, rate);
  } finally {
    if (form) await form.spool.close();
  }
}

/** A large answer is in memory until its caller has taken it. */
function releaseWhenSent(claim: BodyClaim, response: ServerResponse): void {
  if (claim.bytes <= LARGE_BODY || response.writableFinished || response.destroyed) claim.release();
  else response.once('close', () => claim.release());
}

const comesAsForm = ({ parseForm }: CallEndpoint, { headers }: IncomingMessage): boolean =>
  parseForm !== undefined && !/json/i.test(headers['content-type'] ?? '');

function callOf(
  deps: Deps,
  relayed: CallEndpoint,
  { caller, group, pin, except }: AuthenticatedCaller,
  request: IncomingMessage,
  form: Form | undefined,
  body: Buffer,
  json: unknown,
  requestId: string,
  startMs: number,
  rate: Rate,
  dropped: DroppedFields | undefined,
  trace: Trace,
  claim: BodyClaim,
): RelayCall {
  const parsed = parsedOf(relayed, form, json, trace);
  // Every member is named: an object that is spread and then added to is copied several times while it grows.
  return {
    requestId,
    startMs,
    rate,
    operation: relayed.operation,
    dialect: relayed.dialect,
    request: applySteering(parsed, relayed.operation, { routes: deps.live.routes, group: group.symbol }),
    group,
    pin,
    except,
    caller,
    endpoint: relayed.endpoint,
    body,
    json,
    startedS: deps.now(),
    asList: relayed.asList ?? false,
    callerPath: relayed.callerPath,
    callerHeaders: offeredHeaders(request.headers),
    sourceIp: clientIp(request, deps.config.trustedProxies),
    reserved: 0,
    claim,
    pictures: undefined,
    dropped,
  };
}

function parsedOf(relayed: CallEndpoint, form: Form | undefined, json: unknown, trace: Trace): ParsedRequest {
  // A body that is not valid still names the model in its refusal's row.
  if (!form) trace.model = modelIn(json);
  const parsed = form ? relayed.parseForm!(form) : relayed.parse(json);
  trace.model = parsed.model;
  return parsed;
}

async function countedCall(
  deps: Deps,
  call: RelayCall,
  body: Buffer,
  response: ServerResponse,
  stopping: ShutdownState,
  trace: Trace,
): Promise<void> {
  const first = planFirst(deps, call, body);
  const { rates, channel } = first.choice;
  call.reserved = estimate(rates, call.request, deps.live.settings.PreConsumedQuota, channel.preCost);

  // Before anything goes upstream, the call is on record and paid for.
  const hold = await reserve(deps, call, first);
  if (typeof hold === 'string') {
    trace.neededCredits = call.reserved;
    throw insufficientQuota(hold);
  }
  trace.recorded = true;
  try {
    const ended = await runAttempts(deps, call, hold, first, body, response, stopping);
    if (ended.verdict.uncountedText !== undefined) await countSaid(deps, ended);
    // The charge is written down before the last byte leaves: what a caller has in full is never lost.
    const settlement = settlementOf(call, ended, deps.now());
    noteCall(deps, call, ended, settlement);
    await deps.book.settle(hold, settlement);
    finish(response, call, ended);
  } finally {
    if (hold.open) await letOff(deps, call, first, hold);
  }
}

function reserve({ book }: Deps, { caller, requestId, reserved }: RelayCall, { choice }: PlannedAttempt) {
  return book.reserve({
    requestId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    limited: !caller.unlimited,
    reserved,
    priceVersion: choice.price.version,
    model: choice.billedModel,
  });
}

/** A fault of ours costs the caller nothing, and its reservation does not stay. */
function letOff(deps: Deps, call: RelayCall, first: PlannedAttempt, hold: Hold): Promise<void> {
  const verdict = failedVerdict('internal_error', 'the server failed; its log tells the reason', internalError());
  return deps.book.settle(
    hold,
    settlementOf(call, { ...first, verdict, attempts: [], firstMs: undefined }, deps.now()),
  );
}

/** Counts an answer whose usage was not told, off this thread; it stays labelled as an estimate. */
async function countSaid({ tokenizer, log }: Deps, { verdict, choice }: FinishedAttempts): Promise<void> {
  try {
    const { tokens } = await tokenizer.countTokens([verdict.uncountedText!], choice.upstreamModel);
    verdict.usage = { ...verdict.usage, output: tokens };
  } catch (error) {
    // Then it is charged as it was estimated by its length.
    log.error({ err: error }, 'an answer could not be counted');
  }
}

const SHORT = 64 * 1024;

function finish(
  response: ServerResponse,
  { requestId, rate }: RelayCall,
  { verdict, outgoing }: FinishedAttempts,
): void {
  const { refusal, reply, tail } = verdict;
  if (response.destroyed) return;
  if (refusal && !response.headersSent) throw refusal;
  if (refusal) {
    const words = outgoing.streamError(refusal);
    if (words === undefined) response.destroy();
    // Otherwise the error would be a part of the event that broke.
    else response.end(verdict.endsMidEvent ? `\n\n${words}` : words);
  } else if (reply) {
    const headers = callHeaders(requestId, rate);
    headers['content-type'] = reply.contentType;
    headers['content-length'] = String(reply.body.length);
    response.writeHead(reply.status, headers);
    // A text leaves together with the head, in one piece; bytes are handed over apart from it.
    if (reply.body.length < SHORT && isAscii(reply.body)) response.end(reply.body.toString('latin1'), 'latin1');
    else response.end(reply.body);
  } else {
    // A stream that brought nothing but its end still needs its head.
    if (!response.headersSent)
      response.writeHead(200, streamHeaders(requestId, outgoing.streamType ?? 'text/event-stream', rate));
    response.end(tail);
  }
}
