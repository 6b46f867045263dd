/**
 * Pass-through calls: files, batches and the like, by an administrator’s key.
 * A `run` of the money path in call/charged-call.ts, without conversion or retries.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { isAdmin } from '@relay-hub/contract';
import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import { objectOr, parseJson as parsed, textOr, type Json } from '#json.ts';
import type { Caller } from '#live/callers.ts';
import { freePrice } from '#live/price-book.ts';
import type { CallTarget } from '#providers/operation.ts';
import { operationFor, targetOf } from '#providers/target.ts';
import { type AdmittedCaller, type CallPlan, chargedCall, type ChargedWork } from '#relay/call/charged-call.ts';
import type { AuthenticatedCaller, ChannelChoice, HttpContext, RelayCall } from '#relay/types/call-types.ts';
import type { StoredBody } from '#relay/forms/spool.ts';
import { parseJson, readBody } from '#relay/body/read-body.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { giveBackRoom, withRoom } from '#relay/call/channel-room.ts';
import { newRelayCall } from '#relay/call/new-relay-call.ts';
import { newTried } from '#relay/select/choose-channel.ts';
import { bareRequest } from '#relay/types/parsed-request.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { operationInput, aboutOf } from '#relay/upstream/address.ts';
import { rawBody } from './raw-body.ts';
import { RawExchange } from './raw-exchange.ts';
import { forwardedHeaders, offeredHeaders } from '#relay/upstream/raw-headers.ts';
import { type RawPath, rawPathOf } from './raw-path.ts';
import { type FinishedRawCall, finishRawCall, sendRawReply } from './raw-verdict.ts';

/**
 * Passes a request to the channel that `objectTerms` find or the API key names, and its response back, both unchanged. Never retried at
 * another channel, since the addressed object exists at that provider only. Rejects with a `RelayError` for a refused
 * request.
 */
export const passThrough = (context: HttpContext, prefix: string, objectTerms?: ObjectTerms): Promise<void> =>
  chargedCall(context, new RawCall(context, prefix, objectTerms));

/** Objects stored at a provider, under OpenAI's paths. */
const passed = ['uploads', 'batches', 'fine_tuning', 'assistants', 'threads', 'vector_stores', 'containers'];

export const passedRows: readonly PathRow[] = passed.map((name) => {
  const prefix = `/v1/${name}`;
  return { path: `${prefix}/*`, endpoint: prefix, answers: (context) => passThrough(context, prefix) };
});

/** How a pass-through call of an ordinary user finds its place. */
export interface ObjectTerms {
  /**
   * The channel and key that keep the caller's object. Rejects with a 404 for objects of other users. Left out: the API key
   * of an administrator names the channel.
   */
  locate?(admitted: AdmittedCaller): Promise<StatePlace>;
  /** The path at the provider, once the place is known; left out: the caller's. */
  path?(): string;
  /** Decides where the API key is looked for; left out: `openai`. */
  dialect?: DialectId;
  /** The body, where it has been read; left out: it is streamed. */
  body?: Buffer | StoredBody;
  /** The address at this server for the provider's address of an upload; left out: none is passed on. */
  ownUploadUrl?(url: string, choice: ChannelChoice, caller: Caller): string;
  /** Called with a successful JSON reply before its end reaches the caller. */
  learn?(reply: Json): Promise<void>;
}

interface RawCallPlan extends CallPlan {
  path: RawPath;
  target: CallTarget & { method: string };
  body: Readable | null;
}

class RawCall implements ChargedWork<RawCallPlan, FinishedRawCall> {
  readonly dialect: DialectId;
  readonly #context: HttpContext;
  readonly #prefix: string;
  readonly #terms: ObjectTerms | undefined;
  #claim: BodyClaim | undefined;
  /** Undefined: it has taken no room in limits. */
  #limited: RelayCall | undefined;

  constructor(context: HttpContext, prefix: string, objectTerms: ObjectTerms | undefined) {
    this.#context = context;
    this.#prefix = prefix;
    this.#terms = objectTerms;
    this.dialect = objectTerms?.dialect ?? 'openai';
  }

  async plan(admitted: AdmittedCaller): Promise<RawCallPlan> {
    const { deps, request } = this.#context;
    const place = await this.#terms?.locate?.(admitted);
    const choice = place ? choiceAt(deps, place, this.#prefix) : choiceFor(deps, admitted, this.#prefix);
    // Google's paths mean nothing to other providers, nor theirs to Google.
    if ((choice.operation.dialect === 'gemini') !== (this.dialect === 'gemini')) throw notSupported(choice.channel.id);
    const path = rawPathOf(this.#prefix, this.#terms?.path?.() ?? (request.url ?? '').replace(/^\/claude(?=\/)/, ''));
    const target = await targetFor(this.#context, choice, path);
    const read = this.#terms?.body ?? (await this.#readJson(admitted));
    if (read) {
      // It may have been compressed.
      delete target.headers['content-encoding'];
      target.headers['content-length'] = String(read.length);
    }
    const call = newRelayCall(this.#context, admitted, {
      operation: 'raw',
      dialect: this.dialect,
      request: bareRequest(this.#prefix),
      endpoint: this.#prefix,
    });
    if (choice.channel.limits) await this.#takeRoom(call, choice);
    return {
      call,
      choice,
      path,
      target: { ...target, method: request.method ?? 'GET' },
      body: read ? streamOf(read) : rawBody(request),
    };
  }

  /** Takes room in the limits of the only channel that knows the object. Rejects with a 429 if it has none. */
  async #takeRoom(call: RelayCall, choice: ChannelChoice): Promise<void> {
    const search = { tried: newTried(), next: () => undefined, caller: undefined };
    const taken = await withRoom(this.#context.deps, call, { choice }, search);
    if (taken instanceof RelayError) throw taken;
    this.#limited = call;
  }

  /** A body in JSON, checked; undefined: there is none, or it is a form or an upload, which are streamed. */
  async #readJson({ caller }: AdmittedCaller): Promise<Buffer | undefined> {
    const { deps, request } = this.#context;
    if (!hasJson(request)) return undefined;
    this.#claim = deps.bodies.claim(caller.userId);
    const body = await readBody(request, { claim: this.#claim, whenLarge: () => undefined });
    if (body.length > 0) parseJson(body, this.dialect === 'gemini' ? 'google' : 'call');
    return body;
  }

  /** Passes on everything but the end of the response. */
  async run({ call, choice, path, target, body }: RawCallPlan): Promise<FinishedRawCall> {
    const { upstreams, meter } = this.#context.deps;
    const { learn, ownUploadUrl } = this.#terms ?? {};
    const exchange = new RawExchange(this.#context, {
      rate: call.rate,
      keepsBody: learn !== undefined,
      ownUploadUrl: ownUploadUrl && ((url) => ownUploadUrl(url, choice, call.caller)),
    });
    const start = Math.round(performance.now() - call.startMs);
    const { timeouts, provider } = choice.channel;
    try {
      upstreams.dispatch({ ...target, proxy: choice.key.proxy }, body, timeouts, exchange);
    } catch (error) {
      exchange.onResponseError(undefined, error);
    }
    const result = await exchange.result;
    const finished = finishRawCall(choice, result, start);
    if (learn && finished.verdict.outcome === 'answered') await learn(objectOr(parsed(result.body.toString('utf8'))));
    meter.attempted(finished.verdict.code, provider.type);
    finished.content = `${target.method} ${path.path}`;
    return finished;
  }

  finish({ call }: RawCallPlan, finished: FinishedRawCall): void {
    sendRawReply(this.#context.response, call, finished);
  }

  release(): void {
    this.#claim?.release();
    // A call that was refused after it had taken room.
    if (this.#limited) giveBackRoom(this.#context.deps, this.#limited);
  }
}

/** Whether the body of a request is JSON by its media type, or may be taken for it. Google's uploads can have any type. */
function hasJson({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { 'content-type': type = '', 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding === undefined && Number(length ?? 0) === 0) return false;
  const uploads = textOr(headers['x-goog-upload-command'], '').includes('upload');
  return !uploads && (/json/i.test(type) || !/^(?:multipart|image|audio|video|application)\//i.test(type));
}

const streamOf = (body: Buffer | StoredBody): Readable =>
  'open' in body ? body.open() : Readable.from([body], { objectMode: false });

/** The channel that an administrator's key names, whatever its models and groups. Throws a 404 for other users. */
function choiceFor({ live }: Deps, { rawPin, caller }: AuthenticatedCaller, prefix: string): ChannelChoice {
  // Vector stores, containers and fine-tuning are billed by time, so users cannot reach them.
  if (rawPin === undefined && !isAdmin(caller.userRole))
    throw new RelayError(404, `The path ${prefix} is not available here.`, {
      type: 'invalid_request_error',
      code: 'unknown_url',
    });
  if (rawPin === undefined)
    throw new RelayError(403, 'This path needs a channel. Administrators name it after the API key, as in sk-…#12.', {
      type: 'permission_error',
      code: 'channel_required',
    });
  return choiceAt({ live }, { channelId: rawPin, keyId: undefined }, prefix);
}

/** `keyId`: undefined takes the channel's first key. Throws a 503 if the channel cannot take the request. */
function choiceAt(
  { live }: Pick<Deps, 'live'>,
  { channelId, keyId }: { channelId: number; keyId: number | undefined },
  prefix: string,
): ChannelChoice {
  const channel = live.routes.channel(channelId);
  const operation = channel && operationFor(channel.provider.raw, aboutOf(channel, ''));
  const key = channel?.keys.find(({ id }) => keyId === undefined || id === keyId);
  // A signature needs the whole body, which is streamed.
  if (!channel || !operation || !key || channel.provider.sign)
    throw channel ? notSupported(channelId) : unavailable(`Channel ${channelId} does not exist or is disabled.`);
  // Only administrators make these calls, and the provider bills them: no credits are charged.
  const rates = freePrice.ratesFor(1);
  return { channel, operation, key, upstreamModel: '', billedModel: prefix, price: freePrice, rates };
}

const unavailable = (message: string): RelayError =>
  new RelayError(503, message, { type: 'server_error', code: 'no_available_channel' });

const notSupported = (channelId: number): RelayError => unavailable(`Channel ${channelId} does not support this path.`);

async function targetFor({ deps, request }: HttpContext, choice: ChannelChoice, path: RawPath): Promise<CallTarget> {
  const { channel, operation, key } = choice;
  const { provider } = channel;
  const token = provider.token
    ? await deps.upstreams.token(provider.id, provider.token, key.key, key.proxy)
    : undefined;
  const target = targetOf(provider, operation, {
    ...operationInput(choice, false, token),
    callerPath: path.path + path.query,
    callerHeaders: offeredHeaders(request.headers),
  });
  return {
    ...target,
    // The channel's credentials win over the caller's headers.
    headers: { ...forwardedHeaders(request.headers), 'accept-encoding': 'identity', ...key.headers, ...target.headers },
  };
}
