import { Buffer, isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { shareOf, type Usage } from '@relay-hub/contract';
import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import { isObject, listOr, objectOr } from '#json.ts';
import { mayCall } from '#live/model-switch.ts';
import { chargeOf } from '#relay/call/settlement.ts';
import { streamHeaders } from '#relay/reply/headers.ts';
import { evaluateChannel, nothingTried } from '#relay/select/choose-channel.ts';
import type {
  ChannelChoice,
  FinishedAttempts,
  FinishedCall,
  HttpContext,
  OperationName,
  RelayCall,
  Verdict,
} from '#relay/types/call-types.ts';
import type { StreamPiece } from '#relay/types/stream-record.ts';
import { fingerprint } from '#secrets.ts';
import type { ServedReport } from '#usage/served.ts';

/** Says whether the reply came from the cache; absent where the call did not ask it. */
export const CACHE_HEADER = 'x-relay-cache';

/** How a call uses the reply cache. */
export interface CacheUse {
  key: string;
  /** The oldest reply that the caller takes, in seconds. */
  maxAge: number;
}

/** A kept reply, with the facts of its charge. */
export interface CachedReply {
  /** Unix seconds. */
  madeAt: number;
  body: string;
  contentType: string;
  /** Left out: not a stream. */
  pace?: StreamPiece[];
  channelId: number;
  /** What decided about the reply besides the request. */
  mark: string;
  usage: Usage;
  usageSource: Verdict['usageSource'];
  served?: ServedReport;
  finishReason?: string;
}

/** The end of a call that is answered from the cache. */
export interface KnownReply extends FinishedCall {
  reply: CachedReply;
  /** Credits of the price that are not charged. */
  saved: number;
}

/** Operations whose replies are texts or vectors and depend on the request alone. */
const cached: ReadonlySet<OperationName> = new Set(['chat', 'completions', 'embeddings', 'moderations', 'rerank']);

/** Top-level fields of OpenAI's dialect that neither change a reply nor come back in it. */
const withoutInfluence: ReadonlySet<string> = new Set(['metadata', 'prompt_cache_key', 'prompt_cache_retention']);

/** Digits that a number of JavaScript would not hold. */
const longNumber = /[:[,]\s*-?[\d.]{16}/;

/** How a call whose token has the switch uses the cache; undefined: not at all. */
export function cacheUseOf({ deps, request: { headers } }: HttpContext, call: RelayCall): CacheUse | undefined {
  const { operation, dialect, json, request, group, caller, pin, except } = call;
  if (!cached.has(operation) || !isObject(json) || call.state || pin !== undefined || except !== undefined)
    return undefined;
  const maxAge = maxAgeIn(headers);
  if (maxAge === undefined || json['store'] === true || usesHostedTools(dialect, json)) return undefined;
  if (longNumber.test(call.body.toString('latin1'))) return undefined;
  const { ReplyCacheScope: scope, ReplyCacheMinutes: minutes } = deps.live.settings;
  let body: string;
  try {
    body = canonical(
      dialect === 'openai'
        ? Object.fromEntries(Object.entries(json).filter(([name]) => !withoutInfluence.has(name)))
        : json,
    );
  } catch (error) {
    // Nested too deeply for this, as hardly any request is.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const whole = [
    scope === 'site' ? 0 : caller.userId,
    group.symbol,
    call.endpoint,
    call.callerPath ?? '',
    call.asList,
    request.requestedName ?? request.model,
    call.chain ? request.model : '',
    Object.entries(call.callerHeaders ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    body,
    // Wishes of the call are in its body, and a reply to another token may lack a field.
    ...(caller.limits?.provider?.require_parameters ? ['require_parameters'] : []),
    // Others may receive it unmasked.
    ...(call.guard?.answers ?? []).map(({ effect }) => effect),
  ];
  return { key: deps.replyCache.keyOf(JSON.stringify(whole)), maxAge: Math.min(maxAge, minutes * 60) };
}

/** The oldest reply that `Cache-Control` allows, in seconds; -1: only a new one; undefined: the cache must not be used. */
function maxAgeIn({ 'cache-control': sent }: IncomingHttpHeaders): number | undefined {
  if (sent === undefined) return Infinity;
  if (/\bno-store\b/i.test(sent)) return undefined;
  if (/\bno-cache\b/i.test(sent)) return -1;
  const [, seconds] = /\bmax-age\s*=\s*"?(\d{1,10})/i.exec(sent) ?? [];
  return seconds === undefined ? Infinity : seconds === '0' ? -1 : Number(seconds);
}

/** JSON with the members of each object in one order. Throws a RangeError for deep nesting. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(',')}}`;
}

/** Fields by which providers search, call servers or run code themselves. */
const hostedFields = [
  'web_search_options',
  'search_parameters',
  'enable_search',
  'plugins',
  'mcp_servers',
  'container',
];

/** Whether tools run at the provider: their results belong to this moment. */
function usesHostedTools(dialect: DialectId, json: Record<string, unknown>): boolean {
  if (hostedFields.some((name) => json[name] != null && json[name] !== false)) return true;
  return listOr(json['tools']).some((tool) => {
    const given = objectOr(tool);
    if (dialect === 'gemini')
      return Object.keys(given).some((name) => name !== 'functionDeclarations' && name !== 'function_declarations');
    const { type = 'custom' } = given;
    return type !== 'function' && type !== 'custom';
  });
}

/** A call of the caller's tools in a reply of any dialect; within texts, quotes are escaped. */
const toolCall =
  /"(?:tool_calls|function_call|functionCall)"\s*:(?!\s*(?:null|\[\s*\]))|"type"\s*:\s*"(?:tool_use|\w+_call)"/;

/** The kept reply to a call, ready to be charged; undefined: none, or its channel would not make it any more. */
export async function findReply(
  deps: Deps,
  call: RelayCall,
  { key, maxAge }: CacheUse,
): Promise<KnownReply | undefined> {
  if (maxAge < 0) return undefined;
  const reply = (await deps.replyCache.find(key)) as CachedReply | undefined; // written by `keepReply`
  const age = reply ? deps.now() - reply.madeAt : 0;
  const choice = reply && age <= maxAge ? choiceOf(deps, call, reply) : undefined;
  if (!reply || !choice) return undefined;
  const { usage, usageSource, served, finishReason, body, contentType } = reply;
  const verdict: Verdict = {
    outcome: 'answered',
    usage,
    usageSource,
    served,
    finishReason,
    code: 'ok',
    message: undefined,
    reply: { status: 200, contentType, body: Buffer.from(body) },
  };
  const ended: FinishedCall = { choice, verdict, attempts: [], firstMs: undefined };
  const { credits } = chargeOf(call, ended, deps.live.prices);
  const percent = deps.live.settings.ReplyCachePercent;
  return { ...ended, cached: { age: Math.max(0, age), percent }, reply, saved: credits - shareOf(credits, percent) };
}

/** The channel of a reply, whatever its health, if it still serves the call in the same way. */
function choiceOf(deps: Deps, call: RelayCall, { channelId, mark }: CachedReply): ChannelChoice | undefined {
  const { group, request } = call;
  const channel = deps.live.routes.channelsFor(group.symbol, request.model).find(({ id }) => id === channelId);
  const [key] = channel?.keys ?? [];
  if (!channel?.repliesCached || !key || !mayCall(group, request.model)) return undefined;
  const offer = evaluateChannel(deps, { ...call, pin: channelId }, channel, nothingTried);
  if (typeof offer === 'string') return undefined;
  const { operation, upstreamModel, billedModel, steering, price } = offer;
  const choice = { channel, operation, upstreamModel, billedModel, steering, price, key };
  return markOf(choice) === mark ? { ...choice, rates: price.ratesFor(group.ratio) } : undefined;
}

/** Changes with everything that an operator can set at a channel to get other replies. */
const markOf = ({ channel, operation, upstreamModel, billedModel, steering }: Omit<ChannelChoice, 'price' | 'rates'>) =>
  fingerprint(
    JSON.stringify([
      channel.provider.type,
      channel.baseUrl,
      channel.other,
      channel.plugin,
      channel.rules,
      Object.entries(channel.headers).filter(([, value]) => !value.includes(channel.key)),
      operation.dialect,
      upstreamModel,
      billedModel,
      steering,
    ]),
  );

/** Keeps the complete reply of a settled call. It is written while the caller receives the end. */
export function keepReply(deps: Deps, call: RelayCall, { key }: CacheUse, finished: FinishedAttempts): void {
  const { choice, verdict } = finished;
  const { channel, options } = choice;
  const { outcome, refusal, endedBy, doubt, served, usage, usageSource, finishReason } = verdict;
  if (outcome !== 'answered' || refusal || endedBy !== undefined || doubt || !channel.repliesCached) return;
  if (/filter|safety|refus/i.test(finishReason ?? '') || served?.others || (options && options.others.length > 0))
    return;
  // Rules of the channel may have added tools.
  if (usesHostedTools(call.dialect, objectOr(call.json))) return;
  const made = contentOf(call, finished);
  const { ReplyCacheReplyKiB, ReplyCacheMiB, ReplyCacheMinutes } = deps.live.settings;
  if (!made || made.body.length > ReplyCacheReplyKiB * 1024 || !isUtf8(made.body)) return;
  const body = made.body.toString('utf8');
  if (toolCall.test(body)) return;
  const modes = served?.modes ?? options?.modes;
  const region = served?.region ?? options?.region;
  const { cost: _, ...report } = served ?? {};
  const reply: CachedReply = {
    madeAt: deps.now(),
    body,
    contentType: made.contentType,
    ...(made.pace && { pace: made.pace }),
    channelId: channel.id,
    mark: markOf(choice),
    usage,
    usageSource,
    served: { ...report, ...(modes && { modes }), ...(region !== undefined && { region }) },
    ...(finishReason !== undefined && { finishReason }),
  };
  const limits = { seconds: ReplyCacheMinutes * 60, most: ReplyCacheMiB * 1024 * 1024 };
  deps.replyCache.keep(key, call.caller.userId, reply, limits);
}

/** The reply as its caller receives it; undefined: it was too long to be copied, or a refusal. */
export function contentOf(
  { record }: RelayCall,
  { verdict: { reply, tail }, outgoing }: FinishedAttempts,
): { body: Buffer; contentType: string; pace?: StreamPiece[] } | undefined {
  if (reply) return reply.status === 200 ? reply : undefined;
  if (!record) return undefined;
  if (tail) record.end(tail);
  const whole = record.whole();
  return whole && { ...whole, contentType: record.contentType || outgoing.streamType || 'text/event-stream' };
}

/** Sends a cached stream at once, or as slowly as it came. `start`: comments before it. */
export async function sendStream(
  { deps, response, shutdown }: HttpContext,
  { requestId, rate }: RelayCall,
  { body, contentType, pace = [] }: CachedReply,
  start: string,
): Promise<void> {
  response.writeHead(200, streamHeaders(requestId, contentType, rate));
  if (start !== '') response.write(start);
  const bytes = Buffer.from(body);
  let sent = 0;
  if (deps.live.settings.ReplyCachePace === 'original') {
    const startMs = Date.now();
    for (const [ms, length] of pace) {
      await pause(response, startMs + ms - Date.now());
      if (response.destroyed || shutdown.isStopping) break;
      response.write(bytes.subarray(sent, (sent += length)));
    }
  }
  if (!response.destroyed) response.end(bytes.subarray(sent));
}

/** Waits, at most until the caller leaves. */
const pause = (response: ServerResponse, ms: number): Promise<void> | undefined =>
  ms <= 0
    ? undefined
    : new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          response.off('close', end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        response.on('close', end);
      });
