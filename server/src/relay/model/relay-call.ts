import { Buffer, isAscii } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProviderWishes, UserGroup } from '@relay-hub/contract';
import type { DialectId } from '#chat/codec.ts';
import { isObject, objectOr } from '#json.ts';
import { writeOpenAiUsage } from '#chat/openai/write-openai-usage.ts';
import type { ReplyUse } from '#affinity/reply-cache.ts';
import type { Deps } from '#deps.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import { LARGE_BODY } from '#http/limits/whole-body.ts';
import type { LiveVirtualModel } from '#live/virtual-models.ts';
import type { Hold } from '#quota/book.ts';
import { parseObject } from '#relay/body/json-reply.ts';
import { spliceMembers } from '#relay/body/json-splice.ts';
import { withOutputLimit } from '#relay/convert/output-limit.ts';
import { endpointOf } from '#relay/convert/request-rules.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';
import { type Form, textsIn } from '#relay/forms/form.ts';
import { readForm } from '#relay/forms/read-form.ts';
import { namedIn } from '#relay/state/named-objects.ts';
import { offeredHeaders } from '#relay/upstream/raw-headers.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { callHeaders, streamHeaders } from '#relay/reply/headers.ts';
import { BODY_LIMIT, type BodyIntake, bodyTooLarge, parseJson, readBody } from '#relay/body/read-body.ts';
import { dropFields, routingFieldsIn, routingPartsIn, setDroppedHeader } from '#relay/body/routing-fields.ts';
import { zeroLimitsIn } from './zero-limits.ts';
import { guardBody, guardForm, hookAsker, rulesFor } from '#relay/admission/guard-request.ts';
import { guardAnswer } from '#relay/stream/guard-answer.ts';
import { checkBalance } from '#relay/admission/unpaid-body.ts';
import { serverBusy } from '#relay/reply/relay-error.ts';
import { conversationOf } from '#relay/select/conversation.ts';
import { applySteering } from '#relay/select/model-steering.ts';
import { readWishes, suffixWish } from '#relay/select/provider-wishes.ts';
import { openChain } from '#relay/select/virtual-model.ts';
import { planFirst } from '#relay/call/plan-attempt.ts';
import { referencesIn } from '#relay/types/call-state.ts';
import type { Settings } from '#settings.ts';
import { StreamRecord } from '#relay/types/stream-record.ts';
import {
  CACHE_HEADER,
  type CacheUse,
  cacheUseOf,
  contentOf,
  findReply,
  keepReply,
  type KnownReply,
  sendStream,
} from './cached-replies.ts';
import { checkBackground, prepareBackground, settleLater } from './background.ts';
import { detach, isDetached } from './detached.ts';
import { sendShadow } from './shadow-call.ts';
import { rememberState } from '#relay/state/remember-state.ts';
import { resolveState } from '#relay/state/resolve-state.ts';
import { runAttempts } from '#relay/call/attempts.ts';
import { type AdmittedCaller, type CallPlan, chargedCall, type ChargedWork } from '#relay/call/charged-call.ts';
import { newRelayCall } from '#relay/call/new-relay-call.ts';
import { modelIn } from '#relay/types/trace.ts';
import type {
  CallChain,
  CallGuard,
  FinishedAttempts,
  FinishedCall,
  HttpContext,
  OperationName,
  PlannedAttempt,
  RelayCall,
  Verdict,
} from '#relay/types/call-types.ts';

/** An endpoint that calls a model, as one request addresses it. */
export interface CallEndpoint {
  operation: OperationName;
  dialect: DialectId;
  endpoint: string;
  asList?: boolean;
  /** The path, in dialects whose path names version and action. */
  callerPath?: string;
  /** The model, in dialects whose path names it. */
  model?: string;
  parse(json: unknown): ParsedRequest;
  /** Left out: forms are not accepted. */
  parseForm?(form: Form): ParsedRequest;
}

/** A call to a model, from its request to its charge. Rejects with a `RelayError` for a refused request. */
export const relayCall = (context: HttpContext, endpoint: CallEndpoint): Promise<void> =>
  chargedCall(context, new ModelCall(context, endpoint));

interface AttemptPlan extends CallPlan, PlannedAttempt {
  known?: undefined;
}

/** A call with a kept reply. */
interface KnownPlan extends CallPlan {
  known: KnownReply;
}

type ModelCallPlan = AttemptPlan | KnownPlan;

/** The body of a request, as JSON or as a form. */
interface ReadRequest {
  body: Buffer;
  json: unknown;
  dropped: RelayCall['dropped'];
  state?: RelayCall['state'];
}

/** Operations with a prompt that grows from call to call. */
const hasPromptCache: ReadonlySet<OperationName> = new Set(['chat', 'compact', 'completions']);

class ModelCall implements ChargedWork<ModelCallPlan, FinishedAttempts | KnownReply> {
  readonly dialect: DialectId;
  readonly #context: HttpContext;
  readonly #endpoint: CallEndpoint;
  #claim: BodyClaim | undefined;
  #form: Form | undefined;
  #admitted: AdmittedCaller | undefined;
  /** Undefined: the call has none. */
  #wishes: ProviderWishes | undefined;
  /** Undefined: the call names a model, not a virtual one. */
  #chain: CallChain | undefined;
  /** Undefined: no guardrail applies. */
  #guard: CallGuard | undefined;
  /** Undefined: the call does not use the reply cache. */
  #cache: CacheUse | undefined;

  constructor(context: HttpContext, endpoint: CallEndpoint) {
    this.#context = context;
    this.#endpoint = endpoint;
    this.dialect = endpoint.dialect;
  }

  async plan(admitted: AdmittedCaller): Promise<ModelCallPlan> {
    this.#admitted = admitted;
    const { deps, request } = this.#context;
    const endpoint = this.#endpoint;
    const claim = (this.#claim = deps.bodies.claim(admitted.caller.userId));
    const intake: BodyIntake = {
      claim,
      whenLarge: (readModel) => checkBalance(deps, admitted, endpoint, () => endpoint.model ?? readModel()),
    };
    const rules = rulesFor(deps, admitted);
    const { parseForm } = endpoint;
    if (parseForm && isForm(request)) {
      let form = (this.#form = await readForm(request, deps.spools, intake));
      if (rules) ({ guard: this.#guard, form } = await guardForm(hookAsker(this.#context, admitted), rules, form));
      const names = routingPartsIn(form.parts);
      const dropped = names && { names, originalBody: undefined };
      if (names) setDroppedHeader(this.#context.response, names);
      return this.#planned(admitted, { body: textsIn(form), json: undefined, dropped }, parseForm(form));
    }
    let body = await readBody(request, intake);
    let json = parseJson(body, endpoint.dialect === 'gemini' ? 'google' : 'call');
    if (rules) {
      this.#context.trace.model = endpoint.model ?? modelIn(json);
      const { guard, masked } = await guardBody(hookAsker(this.#context, admitted), rules, body);
      this.#guard = guard;
      if (masked) ({ body, json } = masked);
    }
    const zeros = endpoint.dialect === 'openai' ? zeroLimitsIn(json, endpoint.operation) : undefined;
    if (zeros) body = dropFields(body, json, zeros);
    if (deps.live.settings.ProviderWishes && isObject(json) && json['provider'] !== undefined) {
      this.#wishes = readWishes(json['provider']);
      body = dropFields(body, json, ['provider']);
    }
    const names = routingFieldsIn(json);
    let dropped: RelayCall['dropped'] = names && { names, originalBody: body };
    if (names) setDroppedHeader(this.#context.response, names);
    if (names) body = dropFields(body, json, names);
    // An invalid body still names the model in its refusal's row.
    this.#context.trace.model = modelIn(json);
    const fileIds = admitted.pin === undefined ? namedIn(endpoint.dialect, json, body) : [];
    const references = referencesIn(endpoint.dialect, json, fileIds);
    if (endpoint.dialect === 'responses') checkBackground(json);
    if (!references) return this.#planned(admitted, { body, json, dropped }, endpoint.parse(json));
    const { caller } = admitted;
    const resolved = await resolveState(deps, references, objectOr(json), caller);
    if (resolved.json) {
      json = resolved.json;
      body = Buffer.from(JSON.stringify(json));
      if (body.length > BODY_LIMIT) throw bodyTooLarge();
      if (!claim.grow(body.length)) throw serverBusy();
      dropped = dropped && { names: dropped.names, originalBody: undefined };
    }
    const parsed = endpoint.parse(json);
    parsed.inputTokens += resolved.state.tokens;
    return this.#planned(admitted, { body, json, dropped, state: resolved.state }, parsed);
  }

  shorten({ call, choice }: ModelCallPlan, output: number): ModelCallPlan {
    if (!this.#admitted) throw new Error('a call is planned before it is shortened');
    const { state } = call;
    const limit = Math.floor(output / (call.request.choices ?? 1));
    const limited = withOutputLimit(call.unchanged ?? call, call.dialect, choice.upstreamModel, limit);
    const parsed = this.#endpoint.parse(limited.json);
    parsed.inputTokens += state?.tokens ?? 0;
    // Its reply may be cut, which the caller did not ask for.
    this.#cache = undefined;
    return this.#attemptOf(this.#prepared(this.#admitted, { ...limited, ...(state && { state }) }, parsed));
  }

  #planned(admitted: AdmittedCaller, read: ReadRequest, parsed: ParsedRequest): ModelCallPlan | Promise<ModelCallPlan> {
    const call = this.#prepared(admitted, read, parsed);
    const isCached = admitted.caller.enableCache && this.#context.deps.live.settings.ReplyCacheEnabled;
    return isCached ? this.#plannedByCache(call) : this.#attemptOf(call);
  }

  #prepared(admitted: AdmittedCaller, read: ReadRequest, parsed: ParsedRequest): RelayCall {
    this.#context.trace.model = parsed.model;
    if (this.dialect === 'responses') prepareBackground(read, parsed);
    return this.#call(admitted, read, parsed);
  }

  #attemptOf(call: RelayCall): AttemptPlan {
    const { choice, outgoing } = planFirst(this.#context.deps, call);
    return { call, choice, outgoing };
  }

  async #plannedByCache(call: RelayCall): Promise<ModelCallPlan> {
    const { deps, response } = this.#context;
    this.#cache = cacheUseOf(this.#context, call);
    if (!this.#cache) return this.#attemptOf(call);
    const known = await findReply(deps, call, this.#cache);
    if (known) return { call, choice: known.choice, known };
    response.setHeader(CACHE_HEADER, 'miss');
    const plan = this.#attemptOf(call);
    // Calls for unknown models have been refused by now.
    deps.replyCache.noteMiss(useOf(call));
    if (call.request.stream) call.record = new StreamRecord(deps.live.settings.ReplyCacheReplyKiB * 1024);
    return plan;
  }

  #call(admitted: AdmittedCaller, { body, json, dropped, state }: ReadRequest, parsed: ParsedRequest): RelayCall {
    const { deps, request } = this.#context;
    const { operation, dialect, endpoint, asList, callerPath } = this.#endpoint;
    const { group, caller } = admitted;
    const told = this.#told(parsed, group);
    const { virtualModels } = deps.live;
    const virtual = virtualModels.size > 0 ? virtualModels.get(told.model) : undefined;
    const chain = virtual && (this.#chain = this.#chainOf(admitted, virtual, told, json));
    const routed = chain ? chain.requestFor(told, chain.steps[0]!.model) : told; // a chain has steps
    const call = newRelayCall(this.#context, admitted, {
      operation,
      dialect,
      endpoint,
      request: routed,
      body,
      json,
      asList,
      callerPath,
      callerHeaders: offeredHeaders(request.headers),
      claim: this.#claim,
      dropped,
      state,
      place: state?.place,
      parse: (changed) => this.#parse(changed, group, call),
      conversation:
        hasPromptCache.has(operation) && deps.live.routes.hasChoice(group.symbol, routed.model)
          ? conversationOf(caller, { headers: request.headers, json, model: routed.model })
          : undefined,
    });
    if (chain) call.chain = chain;
    if (this.#wishes) call.wishes = this.#wishes;
    if (this.#guard) call.guard = this.#guard;
    return call;
  }

  /** The request without suffixes of the model's name. A model that is really called so has none. */
  #told(parsed: ParsedRequest, { symbol }: UserGroup): ParsedRequest {
    const { routes, settings } = this.#context.deps.live;
    const told = applySteering(parsed, this.#endpoint.operation, { routes, group: symbol });
    if (!settings.ProviderWishes || routes.serves(symbol, told.model)) return told;
    const wish = suffixWish(told.model);
    if (!wish) return told;
    this.#wishes = { sort: wish.sort, ...this.#wishes };
    return { ...told, model: wish.model, requestedName: told.requestedName ?? told.model };
  }

  #chainOf(
    { group, caller }: AdmittedCaller,
    virtual: LiveVirtualModel,
    request: ParsedRequest,
    json: unknown,
  ): CallChain {
    // A shorter call keeps the models that were drawn.
    if (this.#chain) return { ...this.#chain, at: 0 };
    const { live, now } = this.#context.deps;
    const { operation, dialect } = this.#endpoint;
    const { headers } = this.#context.request;
    const query = {
      group,
      endpoint: endpointOf({ operation, dialect }),
      request,
      headers,
      userId: caller.userId,
      sessionSeed: () => conversationOf(caller, { headers, json, model: virtual.name })?.seed,
      at: now(),
    };
    return openChain(live, virtual, query, (parsed, model) => {
      const stepped = applySteering({ ...parsed, model }, operation, { routes: live.routes, group: group.symbol });
      return { ...stepped, requestedName: parsed.requestedName ?? parsed.model };
    });
  }

  /** Reads a body that rules have changed. */
  #parse(changed: { json: unknown } | { form: Form }, group: UserGroup, { state, chain }: RelayCall): ParsedRequest {
    const { parse, parseForm } = this.#endpoint;
    const isForm = 'form' in changed;
    const parsed = isForm && parseForm ? parseForm(changed.form) : parse(isForm ? undefined : changed.json);
    parsed.inputTokens += state?.tokens ?? 0;
    if (this.dialect === 'responses' && !isForm) prepareBackground({ json: changed.json, state }, parsed);
    const told = this.#told(parsed, group);
    return chain ? chain.requestFor(told, chain.steps[chain.at]!.model) : told; // the step that is tried
  }

  run(plan: ModelCallPlan, hold: Hold): Promise<FinishedAttempts | KnownReply | undefined> {
    const { settings } = this.#context.deps.live;
    if (!plan.known && plan.call.chain) sendShadow(this.#context, plan.call);
    if (!plan.known && isDetached(plan.call, plan.choice)) return this.#runDetached(plan, hold);
    if (settings.ContentLog !== 'none') this.#recordContent(plan.call, settings);
    if (plan.known) return Promise.resolve(plan.known);
    return attemptGuarded(this.#context, plan, hold);
  }

  /** The content of the call will be kept, if its owner or the site wants it. */
  #recordContent(call: RelayCall, { ContentLog, ContentLogTag, ContentLogKiB, ReplyCacheReplyKiB }: Settings): void {
    if (ContentLog === 'tagged' && call.caller.costCentre !== ContentLogTag) return;
    call.keepsContent = true;
    if (!call.request.stream) return;
    const most = this.#cache ? Math.max(ContentLogKiB, ReplyCacheReplyKiB) : ContentLogKiB;
    call.record = new StreamRecord(most * 1024);
  }

  async #runDetached(plan: AttemptPlan, hold: Hold): Promise<undefined> {
    const claim = this.#claim;
    this.#claim = undefined;
    const { requestId, response } = this.#context;
    const queued = await detach(this.#context, plan, hold, (context) => this.#attemptDetached(context, plan, hold));
    if (claim) void queued.ended.then(() => claim.release());
    if (!response.destroyed) sendJson(response, requestId, queued.response, plan.call.rate);
    return undefined;
  }

  async #attemptDetached(context: HttpContext, plan: AttemptPlan, hold: Hold): Promise<FinishedAttempts> {
    const finished = await attemptGuarded(context, plan, hold);
    const { uncountedText } = finished.verdict;
    if (uncountedText !== undefined) await countOutput(this.#context.deps, finished, uncountedText);
    return finished;
  }

  complete({ call }: ModelCallPlan, finished: FinishedAttempts | KnownReply): Promise<void> | undefined {
    const { uncountedText, lacksUsage } = finished.verdict;
    // A reply of the cache was complete when it was kept, and most others are.
    if ('reply' in finished || (uncountedText === undefined && !call.state && !lacksUsage)) return undefined;
    return this.#complete(call, finished, uncountedText);
  }

  async #complete(call: RelayCall, finished: FinishedAttempts, uncountedText: string | undefined): Promise<void> {
    if (uncountedText !== undefined) await countOutput(this.#context.deps, finished, uncountedText);
    if (call.state) settleLater(this.#context.deps, call, finished);
    if (call.state) await rememberState(this.#context.deps, call, finished);
    if (finished.verdict.lacksUsage) addUsage(finished.verdict);
  }

  finish({ call }: ModelCallPlan, finished: FinishedAttempts | KnownReply): void | Promise<void> {
    const { deps } = this.#context;
    if (call.keepsContent) keepContent(deps, call, finished);
    if ('reply' in finished) {
      deps.replyCache.noteHit(useOf(call), finished.saved);
      return sendKnown(this.#context, call, finished);
    }
    // The reply of a later step would be charged as one of the first.
    if (this.#cache && !call.chain?.at) keepReply(deps, call, this.#cache, finished);
    sendRest(this.#context, call, finished);
  }

  release(failed: boolean): Promise<void> | undefined {
    if (this.#claim) releaseClaim(this.#claim, failed, this.#context.response);
    return this.#form?.spool.close();
  }
}

function attemptGuarded(
  context: HttpContext,
  { call, choice, outgoing }: AttemptPlan,
  hold: Hold,
): Promise<FinishedAttempts> {
  const running = runAttempts(context, call, hold, { choice, outgoing });
  return call.guard ? guarded(call, running) : running;
}

async function guarded(call: RelayCall, running: Promise<FinishedAttempts>): Promise<FinishedAttempts> {
  const finished = await running;
  await guardAnswer(call, finished);
  return finished;
}

const useOf = ({ caller, chain, request: { model, requestedName = model } }: RelayCall): ReplyUse => ({
  userId: caller.userId,
  tokenId: caller.tokenId,
  model: chain?.name ?? requestedName,
});

const emptyReply = Buffer.alloc(0);

/** Hands request and reply over to the content log, which copies them. */
function keepContent({ contentLog, live }: Deps, call: RelayCall, finished: FinishedAttempts | KnownReply): void {
  const { body } = call.unchanged ?? call;
  const known = 'reply' in finished ? finished.reply : contentOf(call, finished);
  const reply = known ? Buffer.from(known.body) : emptyReply;
  const isTooLong = !known && finished.verdict.outcome !== 'failed';
  const { requestId, caller } = call;
  const kept = { requestId, userId: caller.userId, request: body, reply, contentType: known?.contentType ?? '' };
  const { ContentLogKiB, ContentLogPatterns } = live.settings;
  contentLog.keep({ ...kept, isTooLong }, { most: ContentLogKiB * 1024, patterns: ContentLogPatterns });
}

/** A large reply stays in memory until the caller has received it. */
function releaseClaim(claim: BodyClaim, failed: boolean, response: ServerResponse): void {
  if (failed || claim.bytes <= LARGE_BODY || response.writableFinished || response.destroyed) claim.release();
  else response.once('close', () => claim.release());
}

const isForm = ({ headers }: IncomingMessage): boolean => !/json/i.test(headers['content-type'] ?? '');

/** Tokenizes, in a worker, a reply without reported usage. The usage stays labelled as an estimate. */
async function countOutput(
  { tokenizer, log }: Deps,
  { verdict, choice }: FinishedAttempts,
  text: string,
): Promise<void> {
  try {
    const { tokens } = await tokenizer.countTokens([text], choice.upstreamModel);
    verdict.usage = { ...verdict.usage, output: tokens };
  } catch (error) {
    // The estimate by length is charged.
    log.error({ err: error }, 'reply could not be tokenized');
  }
}

/** Clients of Chat Completions read the usage of each reply. */
function addUsage({ reply, usage }: Verdict): void {
  if (reply) reply.body = spliceMembers(reply.body, { usage: JSON.stringify(writeOpenAiUsage(usage)) });
}

const SHORT_REPLY = 64 * 1024;

/** Sent with replies in one piece; a caller who sends it also gets the cost in usage and streams. */
const COST_HEADER = 'x-relay-cost';
/** Says that the charge is by an estimate, since the provider reported no believable usage. */
const USAGE_HEADER = 'x-relay-usage';

/** The cost of a settled call in dollars, as text; undefined: not settled. */
function costOf({ live }: Pick<Deps, 'live'>, { credits }: FinishedCall): string | undefined {
  return credits === undefined ? undefined : String(credits / live.settings.QuotaPerUnit);
}

/** Adds the cost to the usage of a reply whose dialect has a place for it. */
function addCost(reply: NonNullable<Verdict['reply']>, cost: string): void {
  if (!/json/.test(reply.contentType)) return;
  const usage = parseObject(reply.body.toString('utf8'))?.['usage'];
  if (isObject(usage))
    reply.body = spliceMembers(reply.body, { usage: JSON.stringify({ ...usage, cost: Number(cost) }) });
}

/** Sends a reply in one piece. */
function sendReply(
  response: ServerResponse,
  { requestId, rate }: RelayCall,
  { reply, cost, isEstimate }: { reply: NonNullable<Verdict['reply']>; cost: string | undefined; isEstimate: boolean },
): void {
  const headers = callHeaders(requestId, rate);
  if (cost !== undefined) headers[COST_HEADER] = cost;
  if (isEstimate) headers[USAGE_HEADER] = 'estimate';
  headers['content-type'] = reply.contentType;
  headers['content-length'] = String(reply.body.length);
  response.writeHead(reply.status, headers);
  // Node sends head and body in one packet if the body is a string; it writes a buffer separately.
  if (reply.body.length < SHORT_REPLY && isAscii(reply.body)) response.end(reply.body.toString('latin1'), 'latin1');
  else response.end(reply.body);
}

const wantsCost = ({ deps, request }: HttpContext): boolean =>
  deps.live.settings.CostInReplies || COST_HEADER in request.headers;

/** Sends a reply of the cache, once its charge is recorded. */
function sendKnown(context: HttpContext, call: RelayCall, finished: KnownReply): Promise<void> | undefined {
  const { deps, response } = context;
  const { reply: kept, verdict, cached } = finished;
  const { reply, usageSource } = verdict;
  if (response.destroyed || !reply) return undefined;
  response.setHeader(CACHE_HEADER, 'hit');
  response.setHeader('age', String(cached?.age ?? 0));
  const cost = costOf(deps, finished);
  const isWanted = cost !== undefined && wantsCost(context);
  if (kept.pace) {
    const isEvents = !call.asList && /event-stream/.test(kept.contentType);
    return sendStream(context, call, kept, isWanted && isEvents ? `: ${COST_HEADER} ${cost}\n\n` : '');
  }
  if (isWanted) addCost(reply, cost);
  sendReply(response, call, { reply, cost, isEstimate: usageSource === 'estimate' });
  return undefined;
}

function sendRest(context: HttpContext, call: RelayCall, finished: FinishedAttempts): void {
  const { deps, response } = context;
  const { requestId, rate } = call;
  const { verdict, outgoing } = finished;
  const { refusal, reply, tail } = verdict;
  if (response.destroyed) return;
  const cost = costOf(deps, finished);
  const isWanted = cost !== undefined && wantsCost(context);
  const isEvents = !call.asList && /event-stream/.test(outgoing.streamType ?? 'text/event-stream');
  // Readers of event streams skip comments.
  const estimated = verdict.usageSource === 'estimate' ? `: ${USAGE_HEADER} estimate\n` : '';
  const comment = isWanted && isEvents ? `${estimated}: ${COST_HEADER} ${cost}\n\n` : '';
  const isBegun = verdict.begun !== undefined && verdict.begun.length > 0;
  if (refusal && !response.headersSent && !isBegun) throw refusal;
  if (refusal) {
    if (!response.headersSent)
      response.writeHead(200, streamHeaders(requestId, 'text/event-stream', rate)).write(verdict.begun);
    const event = outgoing.streamError(refusal);
    if (event === undefined) response.destroy();
    // Without a blank line the error would become part of the event that was cut.
    else response.end((verdict.endsMidEvent ? '\n\n' : '') + comment + event);
  } else if (reply) {
    if (isWanted) addCost(reply, cost);
    sendReply(response, call, { reply, cost, isEstimate: verdict.usageSource === 'estimate' });
  } else {
    // A stream whose only event is its end has no head yet.
    if (!response.headersSent)
      response.writeHead(200, streamHeaders(requestId, outgoing.streamType ?? 'text/event-stream', rate));
    if (comment !== '' && verdict.endsMidEvent !== true) response.write(comment);
    response.end(tail);
  }
}
