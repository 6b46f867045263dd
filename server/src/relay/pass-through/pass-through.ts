import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { ratesOf } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { clientIp } from '#http/client-ip.ts';
import type { BookedPrice } from '#live/price-book.ts';
import { operationFor, targetOf } from '#providers/target.ts';
import type { Target } from '#providers/operation.ts';
import { operationInput } from '#relay/upstream/address.ts';
import { authenticate } from '#relay/routes/authenticate.ts';
import { checkRate, withRate } from '#relay/routes/call-rate.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { noteCall } from '#relay/call/note-call.ts';
import { aboutOf } from '#relay/select/channel-offer.ts';
import { internalError, RelayError } from '#relay/routes/relay-error.ts';
import type { ShutdownState } from '#relay/call/shutdown-state.ts';
import { settlementOf } from '#relay/call/settlement.ts';
import type { Trace } from '#relay/call/trace.ts';
import { rawBody } from './raw-body.ts';
import { RawExchange } from './raw-exchange.ts';
import { forwardedHeaders, offeredHeaders } from './raw-headers.ts';
import { type RawPath, rawPathOf } from './raw-path.ts';
import { sendRawReply, finishRawCall, type FinishedRawCall } from './raw-verdict.ts';
import type { AuthenticatedCaller, ChannelChoice, RelayCall } from '#relay/call/types.ts';

/** Such calls are the administrators' own: they cost nothing here, and what they start is the provider's bill. */
const terms = { type: 'tokens', input: 0, output: 0 } as const;
const freePrice: BookedPrice = {
  ...terms,
  version: 0,
  model: '',
  channel_type: 0,
  extra_ratios: {},
  ratesFor: (ratio) => ratesOf(terms, ratio),
};

/**
 * Passes a call on as it is to the channel that its key names, and the answer back, both as they come. Throws a
 * `RelayError` for what is refused. It is not repeated anywhere else: what it is about is at that channel.
 */
export async function passThrough(
  deps: Deps,
  front: string,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  stopping: ShutdownState,
  trace: Trace,
): Promise<void> {
  const startMs = performance.now();
  const who = await authenticate(deps, request, trace);
  const rate = await checkRate(deps, who.caller);
  try {
    const raw = rawPathOf(front, request.url ?? '');
    const choice = choiceFor(deps, who, front);
    const call = callOf(deps, who, raw, request, { requestId, startMs, rate });
    await countedCall(deps, call, choice, raw, request, response, stopping, trace);
  } catch (error) {
    throw withRate(error, rate);
  }
}

async function countedCall(
  deps: Deps,
  call: RelayCall,
  choice: ChannelChoice,
  raw: RawPath,
  request: IncomingMessage,
  response: ServerResponse,
  stopping: ShutdownState,
  trace: Trace,
): Promise<void> {
  const { requestId, caller } = call;
  const target = await targetFor(deps, choice, raw, request);
  const body = rawBody(request);
  const hold = await deps.book.reserve({
    requestId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    limited: !caller.unlimited,
    reserved: 0,
    priceVersion: 0,
    model: raw.front,
  });
  if (typeof hold === 'string') throw new Error('a free call was refused for its price');
  trace.recorded = true;
  try {
    const to = { ...target, method: request.method ?? 'GET' };
    const ended = await exchangeRaw(deps, call, choice, to, body, response, stopping);
    const settlement = settlementOf(call, ended, deps.now());
    settlement.log.content = `${request.method} ${raw.path}`;
    noteCall(deps, call, ended, settlement);
    // On record before the last byte leaves, as every call.
    await deps.book.settle(hold, settlement);
    sendRawReply(response, call, ended);
  } finally {
    const verdict = failedVerdict('internal_error', 'the server failed; its log tells the reason', internalError());
    const nothing = { choice, verdict, attempts: [], firstMs: undefined };
    if (hold.open) await deps.book.settle(hold, settlementOf(call, nothing, deps.now()));
  }
}

/** Sends the call and passes its answer on, but for the end. */
async function exchangeRaw(
  { upstreams, meter }: Deps,
  { requestId, startMs, rate }: RelayCall,
  choice: ChannelChoice,
  target: Target & { method: string },
  body: Readable | null,
  response: ServerResponse,
  stopping: ShutdownState,
): Promise<FinishedRawCall> {
  const exchange = new RawExchange(response, requestId, rate, stopping);
  const sentMs = Math.round(performance.now() - startMs);
  const { timeouts, provider } = choice.channel;
  try {
    upstreams.dispatch({ ...target, proxy: choice.key.proxy }, body, timeouts, exchange);
  } catch (error) {
    exchange.onResponseError(undefined, error as Error);
  }
  const ended = finishRawCall(choice, await exchange.ended, sentMs);
  meter.attempted(ended.verdict.code, provider.type);
  return ended;
}

/** The channel that an administrator's key names; which models and groups it is for does not matter. */
function choiceFor({ live }: Deps, { rawPin }: AuthenticatedCaller, front: string): ChannelChoice {
  if (rawPin === undefined)
    throw new RelayError(
      403,
      'permission_error',
      'channel_required',
      'This path needs a channel: an administrator names it behind the API key, as in sk-…#12.',
    );
  const channel = live.routes.channel(rawPin);
  const operation = channel && operationFor(channel.provider.raw, aboutOf(channel, ''));
  // A signature would be over a body that is not there yet.
  if (!channel || !operation || channel.provider.sign)
    throw new RelayError(
      503,
      'server_error',
      'no_available_channel',
      channel ? `The channel ${rawPin} takes no such calls.` : `There is no channel ${rawPin} that is switched on.`,
    );
  const key = channel.keys[0]!;
  const rates = ratesOf(terms, 1);
  return { channel, operation, key, upstreamModel: '', billedModel: front, price: freePrice, rates };
}

async function targetFor(deps: Deps, choice: ChannelChoice, raw: RawPath, request: IncomingMessage): Promise<Target> {
  const { channel, operation, key } = choice;
  const { provider } = channel;
  const token = provider.token
    ? await deps.upstreams.token(provider.id, provider.token, key.key, key.proxy)
    : undefined;
  const target = targetOf(provider, operation, {
    ...operationInput(choice, false, token),
    callerPath: raw.path + raw.query,
    callerHeaders: offeredHeaders(request.headers),
  });
  return {
    ...target,
    // What authorizes the channel wins over what the caller says.
    headers: { ...forwardedHeaders(request.headers), 'accept-encoding': 'identity', ...key.headers, ...target.headers },
  };
}

const noBody = Buffer.alloc(0);

const callOf = (
  deps: Deps,
  { caller, group, pin, except }: AuthenticatedCaller,
  { front }: RawPath,
  request: IncomingMessage,
  of: Pick<RelayCall, 'requestId' | 'startMs' | 'rate'>,
): RelayCall => ({
  ...of,
  operation: 'raw',
  dialect: 'openai',
  request: {
    model: front,
    stream: false,
    wantsUsage: false,
    inputTokens: 0,
    outputLimit: undefined,
    usesTools: false,
    usesImages: false,
  },
  caller,
  group,
  pin,
  except,
  endpoint: front,
  body: noBody,
  json: undefined,
  startedS: deps.now(),
  asList: false,
  sourceIp: clientIp(request, deps.config.trustedProxies),
  reserved: 0,
  claim: undefined,
  pictures: undefined,
});
