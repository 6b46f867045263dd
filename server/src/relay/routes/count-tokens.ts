import type { IncomingMessage } from 'node:http';
import type { ChatRequest, Part } from '#chat/chat.ts';
import type { Addressed, DialectId } from '#chat/codec.ts';
import { dialects } from '#chat/codecs.ts';
import { objectOr, parseJson as parsed } from '#chat/fields.ts';
import type { Deps } from '#deps.ts';
import type { Rate } from '#http/limits/minute-rates.ts';
import { operationFor } from '#providers/target.ts';
import type { AuthenticatedCaller, ChannelChoice, HttpContext, RouteQuery } from '#relay/call/types.ts';
import { estimateParts, textsOf, withBadRequests } from '#relay/convert/caller-dialect.ts';
import { patchBody } from '#relay/convert/upstream-request.ts';
import { offeredHeaders } from '#relay/pass-through/raw-headers.ts';
import { aboutOf } from '#relay/select/channel-offer.ts';
import { chooseNextChannel, nothingTried } from '#relay/select/choose-channel.ts';
import { routedName } from '#relay/select/model-steering.ts';
import { forwardableHeaders, resolveAddress } from '#relay/upstream/address.ts';
import { authenticate } from './authenticate.ts';
import { checkRate, withRate } from './call-rate.ts';
import { modelNotFound } from './models.ts';
import { parseJson, readBody } from './read-body.ts';
import { dropFields, routingFieldsIn, setDroppedHeader } from './routing-fields.ts';
import { checkBalance } from './unpaid-body.ts';

/** A prompt whose tokens are to be counted. */
interface TokenCountRequest {
  dialect: DialectId;
  addressed: Addressed;
}

/** What stands in the answer, and what is left of the caller's rate. */
interface CountedPrompt {
  body: object;
  rate: Rate;
}

const TIMEOUT_MS = 5000;
const MAX_REPLY_BYTES = 64 * 1024;

/**
 * How many tokens a prompt has: as the vendor counts them who would be asked, where it does so in the caller's dialect;
 * otherwise as they are counted here, which is near and not exact. Nothing is charged. It is a call of the caller's rate.
 */
export async function countTokens(
  context: HttpContext,
  { dialect, addressed }: TokenCountRequest,
): Promise<CountedPrompt> {
  const { deps, request, response, trace } = context;
  const who = await authenticate(context, dialect);
  const rate = await checkRate(deps, who.caller);
  const claim = deps.bodies.claim(who.caller.userId);
  try {
    const whole = await readBody(request, {
      claim,
      whenLarge: (modelIn) =>
        checkBalance(deps, who, { operation: 'chat', dialect }, () => addressed.model ?? modelIn()),
    });
    const json = parseJson(whole);
    const names = routingFieldsIn(json);
    const body = names ? dropFields(whole, json, names) : whole;
    if (names) setDroppedHeader(response, { names, originalBody: whole }, false);
    const chat = withBadRequests(() => dialects[dialect].readRequest(json, addressed));
    trace.model = chat.model;
    // How much it is to reason does not change what it is asked.
    const { routes } = deps.live;
    const model = routedName({ routes, group: who.group.symbol }, chat.model);
    if (!routes.serves(who.group.symbol, model)) throw modelNotFound(model);
    const tokens =
      (await countUpstream(deps, routeQueryFor(who, dialect, chat, model), body, request)) ??
      (await countLocally(deps, chat, model));
    return { body: dialect === 'gemini' ? { totalTokens: tokens } : { input_tokens: tokens }, rate };
  } catch (error) {
    throw withRate(error, rate);
  } finally {
    claim.release();
  }
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
    request: {
      model,
      requestedName: chat.model,
      stream: false,
      wantsUsage: false,
      inputTokens: 0,
      outputLimit: 0,
      usesTools: chat.tools.length > 0,
      usesImages: chat.messages.some(({ parts }) => parts.some(({ type }) => type === 'image')),
    },
  };
}

/** Undefined: the vendor does not count, or not now. */
async function countUpstream(
  deps: Deps,
  wanted: RouteQuery,
  body: Buffer,
  { headers }: IncomingMessage,
): Promise<number | undefined> {
  const choice = counterFor(deps, wanted);
  // A whole request within the one for its count names the model once more.
  if (!choice || (choice.upstreamModel !== wanted.request.requestedName && body.includes('"generateContentRequest"')))
    return undefined;
  const call = { ...wanted, callerHeaders: offeredHeaders(headers) };
  try {
    const countBody = patchBody(call, choice, body);
    const address = await resolveAddress(deps, choice, {
      stream: false,
      body: countBody,
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
      body: countBody,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_REPLY_BYTES,
      proxy: address.proxy,
    });
    return status === 200 ? tokensIn(parsed(text)) : undefined;
  } catch (error) {
    deps.log.debug({ err: error, channel: choice.channel.id }, 'the vendor did not count the tokens of a prompt');
    return undefined;
  }
}

/** The channel that would be asked, as it is asked to count; undefined where it cannot be in the caller's dialect. */
function counterFor(deps: Deps, wanted: RouteQuery): ChannelChoice | undefined {
  const choice = chooseNextChannel(deps, wanted, nothingTried);
  if (!choice) return undefined;
  const { channel, upstreamModel } = choice;
  const counter = operationFor(channel.provider.countTokens, aboutOf(channel, upstreamModel), wanted.dialect);
  return counter?.dialect === wanted.dialect ? { ...choice, operation: counter, steering: undefined } : undefined;
}

function tokensIn(reply: unknown): number | undefined {
  const { input_tokens: anthropic, totalTokens: gemini = anthropic } = objectOr(reply);
  return typeof gemini === 'number' && Number.isSafeInteger(gemini) && gemini >= 0 ? gemini : undefined;
}

async function countLocally({ tokenizer }: Deps, chat: ChatRequest, model: string): Promise<number> {
  const { tokens } = await tokenizer.countTokens(textsOf(chat), model);
  // What is no text is estimated, and a few tokens stand around each message.
  return chat.messages.reduce((sum, { parts }) => sum + 4 + estimateParts(parts.filter(isNoText)), tokens);
}

const isNoText = ({ type }: Part): boolean => type === 'image' || type === 'file' || type === 'audio';
