import { noUsage, type Usage } from '@relay-hub/contract';
import { isObject, type Json, listOr, parseJson } from '#json.ts';
import type { Deps } from '#deps.ts';
import { findObjects } from '#affinity/upstream-objects.ts';
import { DEFERRED_OUTPUT } from '#relay/call/estimate.ts';
import type { CallEndpoint } from '#relay/model/relay-call.ts';
import type { AuthenticatedCaller, ChannelChoice } from '#relay/types/call-types.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';
import type { CountedFile } from '#relay/objects/batch-file.ts';
import { fileNotFound, noLongerKept } from '#relay/state/object-refusals.ts';
import { NAMED_KINDS, namedIn } from '#relay/state/named-objects.ts';
import { checkNames } from '#relay/body/member-names.ts';
import { refuseRoutingFields } from '#relay/body/routing-fields.ts';
import { modelForbidden } from '#relay/admission/limit-refusal.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import { chooseChannel, chooseNextChannel, newTried } from '#relay/select/choose-channel.ts';
import { refuseOptions } from '#relay/select/fit-options.ts';
import { isReference, type StatePlace } from '#relay/types/call-state.ts';

/** Limit of requests in a batch, that of the vendors. */
export const MAX_REQUESTS = 50_000;
const MAX_ID = 512;

/** Most that the requests of a batch can need. */
export interface BatchNeed {
  model: string;
  requests: number;
  /** Tokens, and the requests as units. */
  usage: Usage;
  /** The channel and key, with the model's usual price. */
  choice: ChannelChoice;
}

interface InputTerms {
  /** The path that all requests are for. */
  endpoint: CallEndpoint;
  admitted: AuthenticatedCaller;
  /** Where the objects are kept that the requests name; undefined: they decide. */
  place: StatePlace | undefined;
}

/** Checks the requests of a batch one by one, and sums up what they may need. Refusals name the request. */
export class BatchInput {
  readonly #deps: Deps;
  readonly #terms: InputTerms;
  readonly #ids = new Set<string>();
  /** Tokens of files and caches that were found to be the caller's, and kept at the same place. */
  readonly #files = new Map<string, number>();
  #place: StatePlace | undefined;
  #counted = 0;
  #input = 0;
  #output = 0;
  #choice: ChannelChoice | undefined;
  #model = '';

  constructor(deps: Deps, terms: InputTerms) {
    this.#deps = deps;
    this.#terms = terms;
    this.#place = terms.place;
  }

  /** Adds a request. Rejects with a `RelayError` that begins with `where`. */
  async add(where: string, id: unknown, body: unknown): Promise<void> {
    try {
      await this.#check(id, body);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      const { status, type, code, param } = error;
      throw new RelayError(status, `${where}: ${error.message}`, { type, code, ...(param !== null && { param }) });
    }
  }

  /** Adds requests that were checked and counted before, for a model. Throws a `RelayError` if no channel takes them. */
  addCounted({ requests, input, output, options }: Omit<CountedFile, 'action'>, request: ParsedRequest): void {
    this.#choice ??= this.#choose(request);
    refuseOptions(this.#deps, this.#choice, options);
    this.#counted += requests;
    this.#input += input;
    this.#output += output;
  }

  /** Throws a 400 if there are no requests. */
  need(): BatchNeed {
    const requests = this.#ids.size + this.#counted;
    if (!this.#choice) throw badRequest('The batch has no requests.', 'input_file_id');
    const usage = { ...noUsage, input: this.#input, output: this.#output, units: requests };
    return { model: this.#model, requests, usage, choice: this.#choice };
  }

  async #check(id: unknown, body: unknown): Promise<void> {
    if (typeof id !== 'string' || id === '' || id.length > MAX_ID)
      throw badRequest(`'custom_id' is not valid: it must be a text of up to ${MAX_ID} characters.`, 'custom_id');
    if (this.#ids.has(id)) throw badRequest(`The custom_id '${id.slice(0, 64)}' is used twice.`, 'custom_id');
    if (this.#ids.size >= MAX_REQUESTS) throw badRequest(`A batch can have at most ${MAX_REQUESTS} requests.`);
    this.#ids.add(id);
    if (!isObject(body)) throw badRequest("'body' is not valid: it must be an object.", 'body');
    const { endpoint } = this.#terms;
    const parsed = endpoint.parse(body);
    if (parsed.stream) throw badRequest("'stream' cannot be used in a batch.", 'stream');
    refuseState(body);
    refuseRoutingFields(body);
    await this.#checkFiles(body);
    if (this.#choice && parsed.model !== this.#model)
      throw badRequest(`All requests of a batch must be for one model, here '${this.#model}'.`, 'model');
    this.#choice ??= this.#choose(parsed);
    refuseOptions(this.#deps, this.#choice, body);
    this.#input += parsed.inputTokens;
    this.#output += parsed.outputLimit ?? DEFERRED_OUTPUT * (parsed.choices ?? 1);
  }

  /** The channel for the first request, which all others share. */
  #choose(request: ParsedRequest): ChannelChoice {
    const { endpoint, admitted } = this.#terms;
    const { caller, group, except } = admitted;
    const { model } = request;
    if (this.#deps.live.virtualModels.has(model))
      throw badRequest(`'${model}' is a virtual model, which batches cannot use. Name one of its models.`, 'model');
    if (caller.limits?.models?.(model) === false) throw modelForbidden(model);
    const { operation, dialect } = endpoint;
    const query = { operation, dialect, request, group, caller, except, place: this.#place, pin: undefined };
    const tried = newTried();
    let choice: ChannelChoice | undefined = chooseChannel(this.#deps, query, tried);
    while (choice && !this.#fits(choice, model)) {
      tried.channels.add(choice.channel.id);
      choice = chooseNextChannel(this.#deps, query, tried);
    }
    if (!choice) throw badRequest(`The model '${model}' cannot be used in batches here.`, 'model');
    if (this.#place && choice.key.id !== this.#place.keyId) throw noLongerKept('file');
    this.#model = model;
    this.#place = { channelId: choice.channel.id, keyId: choice.key.id };
    return choice;
  }

  /** The provider reads the requests as they are, so nothing can be converted or renamed. */
  #fits({ channel, operation, upstreamModel }: ChannelChoice, model: string): boolean {
    const { dialect, endpoint } = this.#terms.endpoint;
    const takes = channel.provider.batches?.endpoints.includes(endpoint) ?? false;
    return takes && operation.dialect === dialect && upstreamModel === model;
  }

  async #checkFiles(body: Json): Promise<void> {
    const named = namedIn(this.#terms.endpoint.dialect, body, Buffer.from(JSON.stringify(body)));
    const ids = named.filter((id) => !this.#files.has(id));
    if (ids.length > 0) await this.#findFiles(ids);
    for (const id of named) this.#input += this.#files.get(id) ?? 0;
  }

  async #findFiles(ids: readonly string[]): Promise<void> {
    const { db, now } = this.#deps;
    const { userId } = this.#terms.admitted.caller;
    const kept = await findObjects(db, userId, NAMED_KINDS, { ids, now: now() });
    for (const id of ids) {
      const file = kept.get(id);
      if (!file) throw fileNotFound(id);
      this.#place ??= file;
      if (file.channelId !== this.#place.channelId || file.keyId !== this.#place.keyId) throw fileNotFound(id);
      this.#files.set(id, file.tokens);
    }
  }
}

/** Objects of other users of the account must not be reached, and replies of a batch are not recorded. */
function refuseState(body: Json): void {
  for (const field of ['previous_response_id', 'conversation', 'background', 'thread', 'container'])
    if (body[field] != null && body[field] !== false) throw badRequest(`'${field}' cannot be used in a batch.`, field);
  if (listOr(body['input']).some(isReference))
    throw badRequest("Items of type 'item_reference' cannot be used in a batch.", 'input');
}

/** The request on a line of an input file. Throws a 400. */
export function readLine(line: string, endpoint: string): { id: unknown; body: unknown } {
  const json = parseJson(line);
  if (!isObject(json)) throw badRequest('It is not a JSON object.');
  checkNames(line);
  const { custom_id: id, method, url, body } = json;
  if (method !== 'POST') throw badRequest("'method' is not valid: it must be POST.", 'method');
  if (url !== endpoint) throw badRequest(`'url' is not valid: it must be ${endpoint}, as in 'endpoint'.`, 'url');
  return { id, body };
}
