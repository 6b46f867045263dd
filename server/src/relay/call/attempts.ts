import { performance } from 'node:perf_hooks';
import type { ServerResponse } from 'node:http';
import { type Attempt, isAdmin } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import type { Rate } from '#http/limits/minute-rates.ts';
import type { Caller } from '#live/callers.ts';
import { hostName, leadsToAny } from '#live/host-health.ts';
import type { Asked } from '#providers/operation.ts';
import type { Hold } from '#quota/book.ts';
import type { Refusal } from '#quota/leased-credits.ts';
import { noQuota } from '#relay/routes/authenticate.ts';
import { estimate } from './estimate.ts';
import { type Choice, newTried, type Tried, type Wanted, whyNoOther } from '#relay/select/choose.ts';
import { type Fault, faultOf, isOfHost, isOfKey } from '#relay/outcome/fault.ts';
import { judge } from '#relay/outcome/judge.ts';
import { noteBegun, noteOutcome } from './note-health.ts';
import type { CallPictures } from '#relay/pictures/call-pictures.ts';
import { lacksResponses, noteWithoutResponses } from '#relay/select/other-way.ts';
import { otherReady, otherWay, type Ready, withPictures } from '#relay/select/ready.ts';
import { stopped } from '#relay/routes/relay-error.ts';
import type { Dropped } from '#relay/routes/routing-fields.ts';
import { sendTo } from '#relay/upstream/send-attempt.ts';
import type { Sent } from '#relay/upstream/sent.ts';
import type { Stopping } from './stopping.ts';
import { noteMessage } from '#relay/outcome/upstream-text.ts';
import type { Refused } from '#relay/outcome/upstream-refusal.ts';
import { failed, type Verdict } from '#relay/outcome/verdict.ts';

/** A call whose caller may make it, before it is known which channel answers it. */
export interface Admitted extends Wanted {
  caller: Caller;
  requestId: string;
  endpoint: string;
  sourceIp: string;
  startMs: number;
  /** Unix seconds. */
  startedS: number;
  /** The caller's body as it was parsed; undefined: it was a form. */
  json: unknown;
  /** A stream is to be one JSON list: Gemini's, where no events were asked for. */
  asList: boolean;
  /** The caller's path, in dialects that name a version and an action there. */
  callerPath?: string | undefined;
  /** Of the caller's headers, what says something of the request to a vendor who speaks the same dialect. */
  callerHeaders?: Asked['callerHeaders'];
  reserved: number;
  /** What its bodies take of the memory; undefined where none are held. */
  claim: BodyClaim | undefined;
  /** What it leaves of its caller's rate. */
  rate: Rate;
  /** What it shows by address, once a channel has to be given the bytes. */
  pictures: CallPictures | undefined;
  /** What was taken out of its body; undefined: nothing. */
  dropped?: Dropped | undefined;
}

/** How a call ended, at the channel that answered or failed last. */
export interface Ended extends Ready {
  verdict: Verdict;
  attempts: Attempt[];
  /** Milliseconds from the start of the call to the first byte of the answer; undefined: there was none. */
  firstMs: number | undefined;
}

/** What follows an attempt that failed, or why nothing does. */
type Next = NonNullable<Attempt['next']>;

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
    if (choice.probe) noteBegun(deps, call, choice);
    const start = Math.round(performance.now() - call.startMs);
    const sent = await sendTo(deps, call, ready, response, stopping);
    const verdict = judge(
      { request: call.request, choice, exchange, operation: call.operation, json: call.json },
      sent,
    );
    const attempt = attemptOf(choice, sent, verdict, start);
    attempts.push(attempt);
    deps.meter.attempted(verdict.result, choice.channel.provider.type);
    const lacking = lacksResponses(call, choice, sent, verdict);
    const fault = verdict.outcome === 'failed' || verdict.outcome === 'broken' ? faultOf(sent, verdict) : undefined;
    if (fault) attempt.cause = fault.cause;
    if (lacking) noteWithoutResponses(choice.channel, Date.now());
    else {
      noteOutcome(deps, call, choice, sent, verdict, fault);
      if (fault) noteRefusal(deps, call, choice, verdict, fault, body);
    }
    const firstMs = sent.firstByteMs ?? sent.headMs;
    ended = {
      choice,
      exchange,
      verdict,
      attempts,
      firstMs: firstMs === undefined ? undefined : start + firstMs,
    };
    if (verdict.outcome !== 'failed' || !fault) return ended;

    tried ??= newTried();
    // Asked in other words it is the same attempt, as far as attempts are counted.
    const way = lacking ? otherWay(call, choice, body) : undefined;
    if (!way && usesUp(fault, choice, tried)) made++;
    if (!way) noteTried(deps, tried, choice, fault);
    // Waiting for a channel that says nothing is the channel's time, not the caller's patience for retries.
    if (sent.failure?.code === 'first_token_timeout' || fault.host !== undefined) waitedMs += sent.ms;
    const spentMs = performance.now() - call.startMs - waitedMs;
    let last = whyEnded(sent, response, stopping) ?? (way ? undefined : whyOver(deps, call, fault, made, spentMs));
    const isSpent = last === 'out_of_attempts' && mayGoOn(deps, attempts, spentMs);
    if (isSpent) {
      tried.last = tried.onlySteady = true;
      last = undefined;
    } else tried.last = made === deps.live.settings.RetryTimes;
    let other = last === undefined ? (way ?? otherReady(deps, call, body, tried)) : undefined;
    if (other?.exchange.unseen) {
      const { seen, ms } = await shown(deps, call, other, body, tried, response, stopping);
      waitedMs += ms;
      other = seen;
    }
    attempt.next = last ?? (isSpent && !other ? 'out_of_attempts' : nextOf(deps, call, other?.choice, fault, tried));
    if (!other) return ended;
    ready = other;
  }
}

/**
 * Whether an attempt is one of those that `RetryTimes` allows: neither is one in which nothing was sent, but for a second
 * one at the same host, nor one that tried a resting channel for the others' sake.
 */
export function usesUp({ unsent, host }: Fault, { probe }: Choice, { hosts }: Tried): boolean {
  return unsent ? host !== undefined && hosts.has(host) : probe !== true;
}

/** What the next choice has to know of an attempt that failed. */
export function noteTried({ live }: Deps, tried: Tried, { channel, key, operation }: Choice, fault: Fault): void {
  if (isOfKey(fault) && channel.keys.length > 1) tried.keys.add(key.id);
  else tried.channels.add(channel.id);
  tried.lowest = Math.min(tried.lowest ?? Infinity, channel.priority);
  if (fault.host !== undefined) tried.hosts.add(fault.host);
  else if (isOfHost(fault)) tried.failedAt.add(hostName(live.hosts.routeOf(channel, key, operation)));
}

/** What follows an attempt that failed, and why nothing does. */
export function nextOf(deps: Deps, call: Admitted, other: Choice | undefined, { host }: Fault, tried: Tried): Next {
  if (!other) return whyNoOther(deps, call, tried);
  const { channel, key, operation } = other;
  const isElsewhere = host !== undefined && !leadsToAny(deps.live.hosts.routeOf(channel, key, operation), tried.hosts);
  return isElsewhere ? 'other_host' : 'retried';
}

/** The same channel with the pictures it is to be shown, or another one, and how long fetching them took. */
async function shown(...asked: Parameters<typeof withPictures>): Promise<{ seen: Ready | undefined; ms: number }> {
  const start = performance.now();
  const seen = await withPictures(...asked);
  return { seen, ms: performance.now() - start };
}

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

/** An attempt's line in the log row. */
export function attemptOf(choice: Choice, sent: Sent, verdict: Verdict, start: number): Attempt {
  const { channel, probe } = choice;
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
  if (probe) attempt.probe = true;
  noteMessage(attempt, choice, verdict.message);
  return attempt;
}

/** A refusal that is of the account switches the channel off, or its key, if the settings have it so. */
function noteRefusal(
  { autoSwitcher }: Deps,
  { caller }: Admitted,
  { channel, key }: Choice,
  { refused, message }: Verdict,
  fault: Fault,
  asked: Buffer,
): void {
  if (!refused || fault.cause === 'content') return;
  // Of what is the request's own fault only a phrase can tell that it is the account's.
  const told = fault.cause === 'request' ? { status: refused.status, message: refused.message } : refused;
  const by = { userId: caller.userId, isAdmin: isAdmin(caller.userRole), proves: isProof(fault, refused) };
  autoSwitcher.refused(channel, key, told, message ?? refused.message, asked, by);
}

/** Whether a refusal can be due to nothing that a caller does: one that forbids may be about what was asked. */
const isProof = ({ cause, counts }: Fault, { status }: Refused): boolean =>
  counts === 'always' && (cause === 'billing' || (cause === 'key' && status !== 403));

/** Why a call is at its end whatever is still allowed; undefined: it is not. */
function whyEnded(sent: Sent, response: ServerResponse, stopping: Stopping): Next | undefined {
  if (response.headersSent) return 'answer_had_begun';
  if (sent.clientGone || response.destroyed) return 'client_gone';
  return stopping.now ? 'stopping' : undefined;
}

/** Why a failure is not followed by another attempt; undefined: it may be. */
const whyOver = (deps: Deps, call: Admitted, fault: Fault, made: number, passedMs: number): Next | undefined =>
  fault.retry ? whyNoMore(deps, call, made, passedMs) : 'not_retryable';

/**
 * Whether a channel that has not failed for a while may be asked beyond the attempts that are allowed: several channels
 * can fail in the same moment for the first time. Refusals cost nothing upstream, so only other failures are bounded.
 */
function mayGoOn({ live }: Deps, attempts: readonly Attempt[], passedMs: number): boolean {
  const { RetryTimes, RetryTimeOut } = live.settings;
  const costly = attempts.filter(({ status, cause }) => status < 300 && cause !== 'connect').length;
  return RetryTimes > 0 && costly <= RetryTimes && passedMs <= RetryTimeOut * 1000;
}

/** Why no further attempt is allowed. */
export function whyNoMore({ live }: Deps, { pin }: Admitted, made: number, passedMs: number): Next | undefined {
  if (pin !== undefined) return 'pinned';
  if (made > live.settings.RetryTimes) return 'out_of_attempts';
  return passedMs > live.settings.RetryTimeOut * 1000 ? 'out_of_time' : undefined;
}
