import { bareRequest } from '#relay/types/parsed-request.ts';
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { objectOr, parseJson as parsed } from '#json.ts';
import type { ChatRequest, Part } from '#chat/chat.ts';
import type { Addressed, DialectId } from '#chat/codec.ts';
import { dialects } from '#chat/codecs.ts';
import type { Deps } from '#deps.ts';
import { mayCall } from '#live/model-switch.ts';
import { modelsBehind } from '#live/virtual-models.ts';
import { operationFor } from '#providers/target.ts';
import { decodeName } from '#relay/body/url-query.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import type { AuthenticatedCaller, ChannelChoice, HttpContext, RouteQuery } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { estimateParts, textsOf, withBadRequests } from '#relay/dialects/caller-dialect.ts';
import { patchBody } from '#relay/convert/upstream-request.ts';
import { offeredHeaders } from '#relay/upstream/raw-headers.ts';
import { chooseNextChannel, nothingTried } from '#relay/select/choose-channel.ts';
import { routedName } from '#relay/select/model-steering.ts';
import { googleNamesIn } from '#relay/state/google-names.ts';
import { referencesIn } from '#relay/types/call-state.ts';
import { resolveState } from '#relay/state/resolve-state.ts';
import { forwardableHeaders, resolveAddress, aboutOf } from '#relay/upstream/address.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { modelForbidden } from '#relay/admission/limit-refusal.ts';
import { modelNotFound, modelOff } from '#relay/reply/relay-error.ts';
import { parseJson, readBody } from '#relay/body/read-body.ts';
import { dropFields, routingFieldsIn, setDroppedHeader } from '#relay/body/routing-fields.ts';
import { guardBody, hookAsker, rulesFor } from '#relay/admission/guard-request.ts';
import { checkBalance } from '#relay/admission/unpaid-body.ts';

interface TokenCountRequest {
  dialect: DialectId;
  addressed: Addressed;
}

const fixedRow = (path: string, dialect: DialectId): PathRow => ({
  path,
  endpoint: path,
  answers: { POST: (context) => countTokens(context, { dialect, addressed: { model: undefined, counting: true } }) },
});

export const tokenCountRows: readonly PathRow[] = [
  fixedRow('/v1/responses/input_tokens', 'responses'),
  fixedRow('/v1/messages/count_tokens', 'anthropic'),
  fixedRow('/claude/v1/messages/count_tokens', 'anthropic'),
  {
    path: '/gemini/{version}/models/{resource}:countTokens',
    endpoint: '/gemini/:countTokens',
    answers: {
      POST: (context, [name = '']) =>
        countTokens(context, { dialect: 'gemini', addressed: { model: decodeName(name), counting: true } }),
    },
  },
];

const TIMEOUT_MS = 5000;
const MAX_REPLY_BYTES = 64 * 1024;

/**
 * Counts the tokens of a prompt: by the vendor that would serve it, if it offers that in the caller's dialect; else by
 * the local tokenizer, which is approximate. Not charged, but rate limited.
 */
async function countTokens(context: HttpContext, { dialect, addressed }: TokenCountRequest): Promise<void> {
  const { deps, request, requestId, response, trace } = context;
  const authenticated = await authenticate(context, dialect);
  const rate = await checkRate(deps, authenticated.caller);
  const claim = deps.bodies.claim(authenticated.caller.userId);
  try {
    let whole = await readBody(request, {
      claim,
      whenLarge: (modelIn) =>
        checkBalance(deps, authenticated, { operation: 'chat', dialect }, () => addressed.model ?? modelIn()),
    });
    let json = parseJson(whole, dialect === 'gemini' ? 'google' : 'call');
    const rules = rulesFor(deps, authenticated);
    const { masked } = rules ? await guardBody(hookAsker(context, authenticated), rules, whole) : {};
    if (masked) ({ body: whole, json } = masked);
    const names = routingFieldsIn(json);
    let body = names ? dropFields(whole, json, names) : whole;
    if (names) setDroppedHeader(response, names);
    const named = dialect === 'gemini' && authenticated.pin === undefined ? googleNamesIn(json, body) : [];
    const references = dialect === 'responses' || named.length > 0 ? referencesIn(dialect, json, named) : undefined;
    const resolved = references && (await resolveState(deps, references, objectOr(json), authenticated.caller));
    if (resolved?.json) body = Buffer.from(JSON.stringify((json = resolved.json)));
    const chat = withBadRequests(() => dialects[dialect].readRequest(json, addressed));
    trace.model = chat.model;
    // Reasoning effort does not change the prompt.
    const { routes } = deps.live;
    const { group } = authenticated;
    const requested = routedName({ routes, group: group.symbol }, chat.model);
    const model =
      modelsBehind(deps.live.virtualModels, requested).find((one) => routes.serves(group.symbol, one)) ?? requested;
    if (!routes.serves(group.symbol, model)) throw modelNotFound(model);
    if (authenticated.pin === undefined && !mayCall(group, model)) throw modelOff(model, group.symbol);
    if (authenticated.caller.limits?.models?.(requested) === false) throw modelForbidden(requested);
    const kept = resolved?.state.tokens ?? 0;
    const query = routeQueryFor(authenticated, dialect, chat, model);
    const tokens =
      (await countUpstream(deps, { ...query, place: resolved?.state.place }, body, request)) ??
      (await countLocally(deps, chat, model)) + (dialect === 'gemini' ? kept : 0);
    // Google counts a cache itself.
    sendJson(response, requestId, countBody(dialect, dialect === 'gemini' ? tokens : tokens + kept), rate);
  } catch (error) {
    throw withRate(error, rate);
  } finally {
    claim.release();
  }
}

function countBody(dialect: DialectId, tokens: number): object {
  if (dialect === 'gemini') return { totalTokens: tokens };
  return { ...(dialect === 'responses' && { object: 'response.input_tokens' }), input_tokens: tokens };
}

function routeQueryFor(
  { caller, group, pin, except }: AuthenticatedCaller,
  dialect: DialectId,
  chat: ChatRequest,
  model: string,
): RouteQuery {
  return {
    caller,
    group,
    pin,
    except,
    operation: 'chat',
    dialect,
    request: bareRequest(model, {
      requestedName: chat.model,
      outputLimit: 0,
      usesTools: chat.tools.length > 0,
      usesImages: chat.messages.some(({ parts }) => parts.some(({ type }) => type === 'image')),
    }),
  };
}

/** Undefined: the vendor does not count, or failed. */
async function countUpstream(
  deps: Deps,
  query: RouteQuery,
  body: Buffer,
  { headers }: IncomingMessage,
): Promise<number | undefined> {
  const choice = counterFor(deps, query);
  // Gemini's `generateContentRequest` names the model a second time.
  if (!choice || (choice.upstreamModel !== query.request.requestedName && body.includes('"generateContentRequest"')))
    return undefined;
  const call = { ...query, callerHeaders: offeredHeaders(headers) };
  try {
    const counted = patchBody(call, choice, body);
    const address = await resolveAddress(deps, choice, {
      stream: false,
      body: counted,
      contentType: undefined,
      request: undefined,
      callerPath: undefined,
      callerHeaders: forwardableHeaders(call, choice),
    });
    const { status, text } = await deps.upstreams.ask({
      baseUrl: address.baseUrl,
      path: address.path,
      method: 'POST',
      headers: address.headers,
      body: counted,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_REPLY_BYTES,
      proxy: address.proxy,
    });
    return status === 200 ? tokensIn(parsed(text)) : undefined;
  } catch (error) {
    deps.log.debug({ err: error, channel: choice.channel.id }, 'upstream token count failed');
    return undefined;
  }
}

/** The counting operation of the channel that would be called; undefined: not in the caller's dialect. */
function counterFor(deps: Deps, query: RouteQuery): ChannelChoice | undefined {
  const choice = chooseNextChannel(deps, query, nothingTried);
  if (!choice) return undefined;
  const { channel, upstreamModel } = choice;
  const counter = operationFor(channel.provider.countTokens, aboutOf(channel, upstreamModel), query.dialect);
  return counter?.dialect === query.dialect ? { ...choice, operation: counter, steering: undefined } : undefined;
}

function tokensIn(reply: unknown): number | undefined {
  const { input_tokens: anthropic, totalTokens: gemini = anthropic } = objectOr(reply);
  return typeof gemini === 'number' && Number.isSafeInteger(gemini) && gemini >= 0 ? gemini : undefined;
}

async function countLocally({ tokenizer }: Deps, chat: ChatRequest, model: string): Promise<number> {
  const { tokens } = await tokenizer.countTokens(textsOf(chat), model);
  // Images, files and audio are estimated; each message adds a few tokens.
  return chat.messages.reduce((sum, { parts }) => sum + 4 + estimateParts(parts.filter(isNoText)), tokens);
}

const isNoText = ({ type }: Part): boolean => type === 'image' || type === 'file' || type === 'audio';
