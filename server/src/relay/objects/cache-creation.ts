import { noUsage, type Usage } from '@relay-hub/contract';
import { type Json, listOr, objectOr, textOr } from '#json.ts';
import { findObjects, rememberObjects } from '#affinity/upstream-objects.ts';
import type { Deps } from '#deps.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import { type AdmittedCaller, type CallPlan, type ChargedWork } from '#relay/call/charged-call.ts';
import type { ChannelChoice, HttpContext, RouteQuery } from '#relay/types/call-types.ts';
import { readChat } from '#relay/dialects/caller-dialect.ts';
import { isName } from '#relay/dialects/open-ai.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';
import { checkBalance } from '#relay/admission/unpaid-body.ts';
import { modelForbidden } from '#relay/admission/limit-refusal.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { chooseChannel, chooseNextChannel, newTried } from '#relay/select/choose-channel.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import {
  cachePrice,
  cacheRelayCall,
  cachesNotAvailable,
  exchangeCache,
  type FinishedCacheCall,
} from './cache-exchange.ts';
import { lifetimeIn, tokenHours } from './cache-lifetime.ts';
import { fileNotFound, noLongerKept } from '#relay/state/object-refusals.ts';
import { readJsonObject } from '#relay/admission/read-json-object.ts';
import { keepsGoogleObjects } from './google-files.ts';
import { CACHES, googleNamesIn } from '#relay/state/google-names.ts';
import { googlePath } from './google-path.ts';

/** Metadata stored with a cache. */
export interface CacheRecord {
  /** As lists show it. */
  shown: Json;
  /** The model whose price applies. */
  model: string;
  /** Unix seconds until which its time is charged. */
  paidUntil: number;
}

interface CreationPlan extends CallPlan {
  body: Json;
  lifetimeS: number;
  /** The most tokens that the contents can have. */
  mostTokens: number;
}

/** The largest context of Google's models. */
const LARGEST_CONTEXT = 2_097_152;

/** Creates a cache, and charges its tokens and its time. */
export class CacheCreation implements ChargedWork<CreationPlan, FinishedCacheCall> {
  readonly dialect = 'gemini';
  readonly #context: HttpContext;
  #claim: BodyClaim | undefined;

  constructor(context: HttpContext) {
    this.#context = context;
  }

  async plan(admitted: AdmittedCaller): Promise<CreationPlan> {
    const { deps, trace } = this.#context;
    const whenLarge = () => checkBalance(deps, admitted, { operation: 'chat', dialect: 'gemini' }, () => undefined);
    const read = await readJsonObject(this.#context, admitted.caller.userId, { kind: 'google', whenLarge });
    const { body: bytes, json: body } = read;
    this.#claim = read.claim;
    const model = textOr(body['model'], '').replace(/^models\//, '');
    if (!isName(model)) throw badRequest("'model' is not valid: it must be the name of a model.", 'model');
    trace.model = model;
    const lifetimeS = lifetimeIn(body, deps.now(), 'usual');
    const parsed = readChat('gemini', { ...body, contents: listOr(body['contents']) }, { model, stream: false });
    const names = googleNamesIn(body, bytes);
    const place = await placeOf(deps, admitted.caller.userId, names);
    const choice = choose(deps, admitted, parsed, place);
    const price = cachePrice(deps.live.prices, choice.billedModel);
    if (!price) throw cachesNotAvailable(model);
    const mostTokens = names.length > 0 ? LARGEST_CONTEXT : bytes.length;
    const assumed = usageOf(Math.min(parsed.inputTokens, mostTokens), lifetimeS);
    const call = cacheRelayCall(this.#context, admitted, { model, inputTokens: parsed.inputTokens, assumed });
    return {
      call,
      choice: { ...choice, billedModel: price.model, price, rates: price.ratesFor(admitted.group.ratio) },
      body,
      lifetimeS,
      mostTokens,
    };
  }

  async run({ call, choice, body, lifetimeS, mostTokens }: CreationPlan): Promise<FinishedCacheCall> {
    const { deps } = this.#context;
    const path = googlePath(this.#context);
    const finished = await exchangeCache(this.#context, call, choice, { method: 'POST', path, body });
    const { cache, verdict } = finished;
    if (!cache) return finished;
    const counted = objectOr(cache['usageMetadata'])['totalTokenCount'];
    const isCounted = typeof counted === 'number' && Number.isSafeInteger(counted) && counted >= 0;
    const tokens = isCounted ? Math.min(counted, mostTokens) : call.request.inputTokens;
    verdict.usage = usageOf(tokens, lifetimeS);
    verdict.usageSource = isCounted ? 'upstream' : 'estimate';
    finished.content = `Cache of ${tokens} tokens for ${lifetimeS} s: ${verdict.usage.output} token-hours`;
    const now = deps.now();
    const { contents: _, systemInstruction: __, tools: ___, ...shown } = cache;
    const record: CacheRecord = { shown, model: call.request.model, paidUntil: now + lifetimeS };
    const { userId, tokenId } = call.caller;
    const object = {
      kind: 'cache',
      id: textOr(cache['name'], ''),
      channelId: choice.channel.id,
      keyId: choice.key.id,
      parentId: '',
      tokens,
      data: JSON.stringify(record),
    } as const;
    if (object.id.startsWith(CACHES))
      await rememberObjects(deps.db, { userId, tokenId }, [object], { now, until: now + lifetimeS });
    return finished;
  }

  finish({ call }: CreationPlan, finished: FinishedCacheCall): void {
    sendCache(this.#context, call.rate, finished);
  }

  release(): void {
    this.#claim?.release();
  }
}

const usageOf = (tokens: number, seconds: number): Usage => ({
  ...noUsage,
  input: tokens,
  output: tokenHours(tokens, seconds),
});

/** Answers with the cache. Throws the refusal if there is none. */
export function sendCache(
  { response, requestId }: HttpContext,
  rate: CallPlan['call']['rate'],
  { cache, verdict }: FinishedCacheCall,
): void {
  if (response.destroyed) return;
  if (!cache) throw verdict.refusal!; // a verdict without a cache has one
  sendJson(response, requestId, cache, rate);
}

/** Where the files are kept that the contents name. Rejects with a 404 for those of another user. */
async function placeOf(deps: Deps, userId: number, names: readonly string[]): Promise<StatePlace | undefined> {
  const files = await findObjects(deps.db, userId, ['file'], { ids: names, now: deps.now() });
  let place: StatePlace | undefined;
  for (const name of names) {
    const file = files.get(name);
    if (!file || (place && (file.channelId !== place.channelId || file.keyId !== place.keyId)))
      throw fileNotFound(name);
    place = file;
  }
  return place;
}

/** A channel at Google that serves the model under this name. Throws a 404 if there is none. */
function choose(
  deps: Deps,
  { caller, group, except }: AdmittedCaller,
  request: ParsedRequest,
  place: StatePlace | undefined,
): ChannelChoice {
  const { model } = request;
  if (deps.live.virtualModels.has(model))
    throw badRequest(`'${model}' is a virtual model, which caches cannot use. Name one of its models.`, 'model');
  if (caller.limits?.models?.(model) === false) throw modelForbidden(model);
  const query: RouteQuery = {
    operation: 'chat',
    dialect: 'gemini',
    request,
    group,
    caller,
    except,
    place,
    pin: undefined,
  };
  const tried = newTried();
  let choice: ChannelChoice | undefined = chooseChannel(deps, query, tried);
  // Google knows the cache by the name that it was created with.
  while (choice && !(keepsGoogleObjects(choice.channel) && choice.upstreamModel === model)) {
    tried.channels.add(choice.channel.id);
    choice = chooseNextChannel(deps, query, tried);
  }
  if (!choice) throw cachesNotAvailable(model);
  if (place && choice.key.id !== place.keyId) throw noLongerKept('files');
  return { ...choice, operation: choice.channel.provider.raw! }; // as `keepsGoogleObjects` found
}
