import { performance } from 'node:perf_hooks';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Attempt } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { Rate } from '#http/minute-rates.ts';
import type { Caller } from '#live/callers.ts';
import { channelEvents } from '#live/channel-events.ts';
import type { Asked, Target } from '#providers/operation.ts';
import type { Hold } from '#quota/book.ts';
import type { Refusal } from '#quota/leased-credits.ts';
import { addressOf, headersFor } from './address.ts';
import { noQuota } from './authenticate.ts';
import { ANY_MODEL, estimate, type Choice, type Tried, type Wanted } from './choose.ts';
import type { Stored } from './forms/spool.ts';
import { streamHeaders } from './headers.ts';
import { judge } from './judge.ts';
import type { CallPictures } from './pictures/call-pictures.ts';
import { lacksResponses, noteWithoutResponses } from './other-way.ts';
import { otherReady, otherWay, type Ready, withPictures } from './ready.ts';
import { stopped } from './relay-error.ts';
import { askedWaitMs, isOfKey, isWorthRetry } from './retry-rules.ts';
import { send, type Terms } from './send.ts';
import { sendParts } from './send-parts.ts';
import { type Sent, unsent } from './sent.ts';
import type { Stopping } from './stopping.ts';
import { failed, type Verdict } from './verdict.ts';

/** A call whose caller may make it, before it is known which channel answers it. */
export interface Admitted extends Wanted {
  caller: Caller;
  requestId: string;
  endpoint: string;
  sourceIp: string;
  startMs: number;
  /** Unix seconds. */
  startedS: number;
  /** A stream is to be one JSON list: Gemini's, where no events were asked for. */
  asList: boolean;
  /** The caller's path, in dialects that name a version and an action there. */
  callerPath?: string | undefined;
  /** Of the caller's headers, what says something of the request to a vendor who speaks the same dialect. */
  callerHeaders?: Asked['callerHeaders'];
  reserved: number;
  /** What it leaves of its caller's rate. */
  rate: Rate;
  /** What it shows by address, once a channel has to be given the bytes. */
  pictures: CallPictures | undefined;
}

/** How a call ended, at the channel that answered or failed last. */
export interface Ended extends Ready {
  verdict: Verdict;
  attempts: Attempt[];
  /** Milliseconds from the start of the call to the first byte of the answer; undefined: there was none. */
  firstMs: number | undefined;
}

/** Why an attempt was the last one. */
type Last = NonNullable<Attempt['next']>;

/**
 * Asks the first channel, and others after it while nothing has reached the caller and the failure may be the channel's.
 * What another one may cost more than the call has reserved is reserved before it is asked.
 */
export async function attemptAll(
  deps: Deps,
  call: Admitted,
  hold: Hold,
  first: Ready,
  body: Buffer,
  response: ServerResponse,
  stopping: Stopping,
): Promise<Ended> {
  const attempts: Attempt[] = [];
  let tried: Tried | undefined;
  let made = 0;
  let waitedMs = 0;
  let ready = first;
  let ended: Ended | undefined;
  if (first.exchange.unseen) {
    const { seen, ms } = await shown(deps, call, first, body, (tried ??= newTried()), response, stopping);
    if (!seen) return notShown(call, first);
    waitedMs += ms;
    ready = seen;
  }
  for (;;) {
    const { choice, exchange } = ready;
    const lacks = ready === first ? undefined : await coverOther(deps, call, hold, choice);
    if (lacks !== undefined) return notCovered(ready, lacks, ended);
    const start = Math.round(performance.now() - call.startMs);
    const sent = await sendTo(deps, call, ready, response, stopping);
    const verdict = judge({ request: call.request, choice, exchange }, sent);
    const attempt = attemptOf(choice, sent, verdict, start);
    attempts.push(attempt);
    deps.meter.attempted(verdict.result, choice.channel.provider.type);
    const lacking = lacksResponses(call, choice, sent, verdict);
    if (lacking) noteWithoutResponses(choice.channel, Date.now());
    else {
      noteHealth(deps, choice, sent, verdict);
      noteRefusal(deps, choice, verdict, body);
    }
    const firstMs = sent.firstByteMs ?? sent.headMs;
    ended = {
      choice,
      exchange,
      verdict,
      attempts,
      firstMs: firstMs === undefined ? undefined : start + firstMs,
    };
    if (verdict.outcome !== 'failed') return ended;

    tried ??= newTried();
    // Asked in other words it is the same attempt, as far as attempts are counted.
    const way = lacking ? otherWay(call, choice, body) : undefined;
    if (!way) made++;
    if (isOfKey(sent, verdict) && choice.channel.keys.length > 1) tried.keys.add(choice.key.id);
    else if (!way) tried.channels.add(choice.channel.id);
    // Waiting for a channel that says nothing is the channel's time, not the caller's patience for retries.
    if (sent.failure?.code === 'first_token_timeout') waitedMs += sent.ms;
    const spentMs = performance.now() - call.startMs - waitedMs;
    const last =
      whyEnded(sent, response, stopping) ?? (way ? undefined : whyOver(deps, call, sent, verdict, made, spentMs));
    let other = last === undefined ? (way ?? otherReady(deps, call, body, tried)) : undefined;
    if (other?.exchange.unseen) {
      const { seen, ms } = await shown(deps, call, other, body, tried, response, stopping);
      waitedMs += ms;
      other = seen;
    }
    attempt.next = last ?? (other ? 'retried' : 'no_other_channel');
    if (!other) return ended;
    ready = other;
  }
}

/** The same channel with the pictures it is to be shown, or another one, and how long fetching them took. */
async function shown(...asked: Parameters<typeof withPictures>): Promise<{ seen: Ready | undefined; ms: number }> {
  const start = performance.now();
  const seen = await withPictures(...asked);
  return { seen, ms: performance.now() - start };
}

const newTried = (): Tried => ({ channels: new Set(), keys: new Set() });

/** A call whose pictures cannot be had, or who nobody waits for any more: no channel was asked. */
function notShown(call: Admitted, first: Ready): Ended {
  const refusal = call.pictures?.refusal ?? stopped();
  const verdict = failed('picture_not_fetched', refusal.message, refusal);
  return { ...first, verdict, attempts: [], firstMs: undefined };
}

/**
 * A model can be called something else at another channel, and cost more: that is reserved as well. Whose credits do not
 * reach for it; undefined: it is covered.
 */
export async function coverOther(deps: Deps, call: Admitted, hold: Hold, choice: Choice): Promise<Refusal | undefined> {
  const { PreConsumedQuota } = deps.live.settings;
  const more = estimate(choice.rates, call.request, PreConsumedQuota, choice.channel.preCost) - call.reserved;
  if (more <= 0) return undefined;
  const refusal = await deps.book.extend(hold, more);
  if (refusal === undefined) call.reserved += more;
  return refusal;
}

/** A call ends where it was when it cannot pay for another channel; one that has asked none is refused. */
function notCovered(ready: Ready, lacks: Refusal, ended: Ended | undefined): Ended {
  const last = ended?.attempts.at(-1);
  if (ended && last) {
    last.next = 'no_other_channel';
    return ended;
  }
  const refusal = noQuota(lacks);
  return { ...ready, verdict: failed(refusal.code, refusal.message, refusal), attempts: [], firstMs: undefined };
}

/** Never rejects. */
function sendTo(deps: Deps, call: Admitted, ready: Ready, response: ServerResponse, stopping: Stopping): Promise<Sent> {
  const { body, further } = ready.exchange;
  const { timeouts, onGone } = ready.choice.channel;
  if (!further) return sendOne(deps, call, ready, body, { timeouts, onGone }, response, stopping);
  // What is begun is read to its end, where its usage stands: each of them is short.
  const terms: Terms = { timeouts, onGone: { policy: 'drain' } };
  return sendParts([body, ...further], (part) => sendOne(deps, call, ready, part, terms, response, stopping), {
    totalMs: timeouts.totalMs,
    left: () => response.destroyed,
  });
}

/** Never rejects. */
function sendOne(
  deps: Deps,
  call: Admitted,
  { choice, exchange }: Ready,
  body: Buffer,
  terms: Terms,
  response: ServerResponse,
  stopping: Stopping,
): Promise<Sent> {
  const { stream, streamType, stored } = exchange;
  const startStream = (contentType: string) =>
    response.writeHead(200, streamHeaders(call.requestId, streamType ?? contentType, call.rate));
  const caller = { response, stream, startStream };
  let target: Target | Promise<Target>;
  try {
    target = addressOf(deps, choice, {
      stream: call.request.stream,
      body,
      contentType: exchange.contentType,
      request: call.request.json,
      callerPath: call.callerPath,
      callerHeaders: headersFor(call, choice),
    });
  } catch (error) {
    return Promise.resolve(unusable(error));
  }
  if (!stored && !(target instanceof Promise)) return send(deps.upstreams, target, body, terms, caller, stopping);
  const sendBody = (to: Target, bytes: Buffer | Readable) => send(deps.upstreams, to, bytes, terms, caller, stopping);
  return Promise.resolve(target).then(
    (to) => (stored ? sendStored(to, stored, sendBody) : sendBody(to, body)),
    unusable,
  );
}

const unusable = (error: unknown): Sent => unsent('key_unusable', (error as Error).message);

/** Reads what is sent from the disk, anew for each attempt. */
async function sendStored(
  target: Target,
  { length, open }: Stored,
  sendBody: (target: Target, bytes: Readable) => Promise<Sent>,
): Promise<Sent> {
  const bytes = open();
  try {
    return await sendBody({ ...target, headers: { ...target.headers, 'content-length': String(length) } }, bytes);
  } finally {
    bytes.destroy();
  }
}

/** An attempt's line in the log row. */
export function attemptOf({ channel }: Choice, sent: Sent, verdict: Verdict, start: number): Attempt {
  const attempt: Attempt = {
    channel_id: channel.id,
    channel_name: channel.name,
    status: sent.status,
    start,
    ms: sent.ms,
    result: verdict.result,
  };
  const firstMs = sent.firstByteMs ?? sent.headMs;
  if (firstMs !== undefined) attempt.first_byte = firstMs;
  if (verdict.message !== undefined) attempt.message = verdict.message;
  return attempt;
}

/** A failure that may be the channel's freezes it for that model, whether or not another one is asked. */
export function noteHealth(
  { live, log }: Deps,
  { channel, key, upstreamModel }: Choice,
  sent: Sent,
  verdict: Verdict,
): void {
  if (verdict.outcome !== 'failed') {
    live.keyHealth.succeeded(key.id, ANY_MODEL);
    live.health.succeeded(channel.id, upstreamModel);
    return;
  }
  if (!isWorthRetry(sent, verdict)) return;
  // How long a caller who has left is waited for is no promise of the channel's.
  if (sent.clientGone && channel.timeouts.firstTokenMs === 0 && sent.failure?.code === 'first_token_timeout') return;
  const now = Date.now();
  const asked = askedWaitMs(sent, verdict, now);
  const cooldownMs = live.settings.RetryCooldownSeconds * 1000;
  // What was refused for its key is not held against the channel as long as there are other keys.
  if (isOfKey(sent, verdict) && channel.keys.length > 1)
    return void live.keyHealth.failed(key.id, ANY_MODEL, cooldownMs, asked, now);
  const closedMs = live.health.failed(channel.id, upstreamModel, cooldownMs, asked, now);
  if (closedMs > 0) channelEvents.closed(log, channel.id, upstreamModel, Math.ceil(closedMs / 1000));
}

/** A refusal that is of the account switches the channel off, or its key, if the settings have it so. */
function noteRefusal(
  { autoSwitcher }: Deps,
  { channel, key }: Choice,
  { refused, message }: Verdict,
  asked: Buffer,
): void {
  if (refused) autoSwitcher.refused(channel, key, refused, message ?? refused.message, asked);
}

/** Why a call is at its end whatever is still allowed; undefined: it is not. */
function whyEnded(sent: Sent, response: ServerResponse, stopping: Stopping): Last | undefined {
  if (response.headersSent) return 'answer_had_begun';
  if (sent.clientGone || response.destroyed) return 'client_gone';
  return stopping.now ? 'stopping' : undefined;
}

/** Why a failure is not followed by another attempt; undefined: it may be. */
const whyOver = (
  deps: Deps,
  call: Admitted,
  sent: Sent,
  verdict: Verdict,
  made: number,
  passedMs: number,
): Last | undefined => (isWorthRetry(sent, verdict) ? whyNoMore(deps, call, made, passedMs) : 'not_retryable');

/** Why no further attempt is allowed. */
export function whyNoMore({ live }: Deps, { pin }: Admitted, made: number, passedMs: number): Last | undefined {
  if (pin !== undefined) return 'pinned';
  if (made > live.settings.RetryTimes) return 'out_of_attempts';
  return passedMs > live.settings.RetryTimeOut * 1000 ? 'out_of_time' : undefined;
}
