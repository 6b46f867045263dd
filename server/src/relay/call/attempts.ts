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
import { insufficientQuota } from '#relay/routes/authenticate.ts';
import { estimate } from './estimate.ts';
import { newTried, whyNoneLeft } from '#relay/select/choose-channel.ts';
import { type AttemptFault, faultOf, concernsHost, concernsKey } from '#relay/outcome/fault.ts';
import { judge } from '#relay/outcome/judge.ts';
import { noteProbe, noteOutcome } from './note-health.ts';
import type { CallPictures } from '#relay/pictures/call-pictures.ts';
import { lacksResponses, noteWithoutResponses } from '#relay/select/responses-fallback.ts';
import { planNext, planFallback, planWithPictures } from '#relay/select/plan-attempt.ts';
import { serverStopping } from '#relay/routes/relay-error.ts';
import type { DroppedFields } from '#relay/routes/routing-fields.ts';
import { sendAttempt } from '#relay/upstream/send-attempt.ts';
import type { AttemptResult } from '#relay/upstream/attempt-result.ts';
import type { ShutdownState } from './shutdown-state.ts';
import { noteMessage } from '#relay/outcome/upstream-text.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import type {
  ChannelChoice,
  FinishedAttempts,
  PlannedAttempt,
  RelayCall,
  RouteQuery,
  TriedChannels,
  UpstreamRefusal,
  Verdict,
} from './types.ts';

/** What follows an attempt that failed, or why nothing does. */
type NextStep = NonNullable<Attempt['next']>;

/**
 * Asks the first channel, and others after it while nothing has reached the caller and the failure may be the channel's.
 * What another one may cost more than the call has reserved is reserved before it is asked.
 */
export async function runAttempts(
  deps: Deps,
  call: RelayCall,
  hold: Hold,
  first: PlannedAttempt,
  body: Buffer,
  response: ServerResponse,
  stopping: ShutdownState,
): Promise<FinishedAttempts> {
  const attempts: Attempt[] = [];
  let tried: TriedChannels | undefined;
  let made = 0;
  let waitedMs = 0;
  let ready = first;
  let ended: FinishedAttempts | undefined;
  if (first.outgoing.missingPictures) {
    const { seen, ms } = await fetchPictures(deps, call, first, body, (tried ??= newTried()), response, stopping);
    if (!seen) return withoutPictures(call, first);
    waitedMs += ms;
    ready = seen;
  }
  for (;;) {
    const { choice, outgoing } = ready;
    const lacks = ready === first ? undefined : await reserveMore(deps, call, hold, choice);
    if (lacks !== undefined) return cannotPay(ready, lacks, ended);
    if (choice.probe) noteProbe(deps, call, choice);
    const start = Math.round(performance.now() - call.startMs);
    const result = await sendAttempt(deps, call, ready, response, stopping);
    const verdict = judge(
      { request: call.request, choice, outgoing, operation: call.operation, json: call.json },
      result,
    );
    const attempt = attemptRecord(choice, result, verdict, start);
    attempts.push(attempt);
    deps.meter.attempted(verdict.code, choice.channel.provider.type);
    const lacking = lacksResponses(call, choice, result, verdict);
    const fault = verdict.outcome === 'failed' || verdict.outcome === 'broken' ? faultOf(result, verdict) : undefined;
    if (fault) attempt.cause = fault.cause;
    if (lacking) noteWithoutResponses(choice.channel, Date.now());
    else {
      noteOutcome(deps, call, choice, result, verdict, fault);
      if (fault) reportRefusal(deps, call, choice, verdict, fault, body);
    }
    const firstMs = result.firstByteMs ?? result.headMs;
    ended = {
      choice,
      outgoing,
      verdict,
      attempts,
      firstMs: firstMs === undefined ? undefined : start + firstMs,
    };
    if (verdict.outcome !== 'failed' || !fault) return ended;

    tried ??= newTried();
    // Asked in other words it is the same attempt, as far as attempts are counted.
    const way = lacking ? planFallback(call, choice, body) : undefined;
    if (!way && countsAsRetry(fault, choice, tried)) made++;
    if (!way) noteTried(deps, tried, choice, fault);
    // Waiting for a channel that says nothing is the channel's time, not the caller's patience for retries.
    if (result.failure?.code === 'first_token_timeout' || fault.unreachableHost !== undefined) waitedMs += result.ms;
    const spentMs = performance.now() - call.startMs - waitedMs;
    let last =
      whyFinal(result, response, stopping) ?? (way ? undefined : whyNotRetried(deps, call, fault, made, spentMs));
    const isSpent = last === 'out_of_attempts' && mayExceedRetries(deps, attempts, spentMs);
    if (isSpent) {
      tried.isLastAttempt = tried.onlyStable = true;
      last = undefined;
    } else tried.isLastAttempt = made === deps.live.settings.RetryTimes;
    let other = last === undefined ? (way ?? planNext(deps, call, body, tried)) : undefined;
    if (other?.outgoing.missingPictures) {
      const { seen, ms } = await fetchPictures(deps, call, other, body, tried, response, stopping);
      waitedMs += ms;
      other = seen;
    }
    attempt.next =
      last ?? (isSpent && !other ? 'out_of_attempts' : nextStepFor(deps, call, other?.choice, fault, tried));
    if (!other) return ended;
    ready = other;
  }
}

/**
 * Whether an attempt is one of those that `RetryTimes` allows: neither is one in which nothing was sent, but for a second
 * one at the same host, nor one that tried a resting channel for the others' sake.
 */
export function countsAsRetry(
  { notSent: unsent, unreachableHost: host }: AttemptFault,
  { probe }: ChannelChoice,
  { unreachableHosts: hosts }: TriedChannels,
): boolean {
  return unsent ? host !== undefined && hosts.has(host) : probe !== true;
}

/** What the next choice has to know of an attempt that failed. */
export function noteTried(
  { live }: Deps,
  tried: TriedChannels,
  { channel, key, operation }: ChannelChoice,
  fault: AttemptFault,
): void {
  if (concernsKey(fault) && channel.keys.length > 1) tried.keys.add(key.id);
  else tried.channels.add(channel.id);
  tried.lowestPriority = Math.min(tried.lowestPriority ?? Infinity, channel.priority);
  if (fault.unreachableHost !== undefined) tried.unreachableHosts.add(fault.unreachableHost);
  else if (concernsHost(fault)) tried.failedHosts.add(hostName(live.hosts.routeOf(channel, key, operation)));
}

/** What follows an attempt that failed, and why nothing does. */
export function nextStepFor(
  deps: Deps,
  call: RelayCall,
  other: ChannelChoice | undefined,
  { unreachableHost: host }: AttemptFault,
  tried: TriedChannels,
): NextStep {
  if (!other) return whyNoneLeft(deps, call, tried);
  const { channel, key, operation } = other;
  const isElsewhere =
    host !== undefined && !leadsToAny(deps.live.hosts.routeOf(channel, key, operation), tried.unreachableHosts);
  return isElsewhere ? 'other_host' : 'retried';
}

/** The same channel with the pictures it is to be shown, or another one, and how long fetching them took. */
async function fetchPictures(
  ...asked: Parameters<typeof planWithPictures>
): Promise<{ seen: PlannedAttempt | undefined; ms: number }> {
  const start = performance.now();
  const seen = await planWithPictures(...asked);
  return { seen, ms: performance.now() - start };
}

/** A call whose pictures cannot be had, or who nobody waits for any more: no channel was asked. */
function withoutPictures(call: RelayCall, first: PlannedAttempt): FinishedAttempts {
  const refusal = call.pictures?.refusal ?? serverStopping();
  const verdict = failedVerdict('picture_not_fetched', refusal.message, refusal);
  return { ...first, verdict, attempts: [], firstMs: undefined };
}

/**
 * A model can be called something else at another channel, and cost more: that is reserved as well. Whose credits do not
 * reach for it; undefined: it is covered.
 */
export async function reserveMore(
  deps: Deps,
  call: RelayCall,
  hold: Hold,
  choice: ChannelChoice,
): Promise<Refusal | undefined> {
  const { PreConsumedQuota } = deps.live.settings;
  const more = estimate(choice.rates, call.request, PreConsumedQuota, choice.channel.preCost) - call.reserved;
  if (more <= 0) return undefined;
  const refusal = await deps.book.extend(hold, more);
  if (refusal === undefined) call.reserved += more;
  return refusal;
}

/** A call ends where it was when it cannot pay for another channel; one that has asked none is refused. */
function cannotPay(ready: PlannedAttempt, lacks: Refusal, ended: FinishedAttempts | undefined): FinishedAttempts {
  const last = ended?.attempts.at(-1);
  if (ended && last) {
    last.next = 'no_other_channel';
    return ended;
  }
  const refusal = insufficientQuota(lacks);
  return { ...ready, verdict: failedVerdict(refusal.code, refusal.message, refusal), attempts: [], firstMs: undefined };
}

/** An attempt's line in the log row. */
export function attemptRecord(choice: ChannelChoice, result: AttemptResult, verdict: Verdict, start: number): Attempt {
  const { channel, probe } = choice;
  const attempt: Attempt = {
    channel_id: channel.id,
    channel_name: channel.name,
    status: result.status,
    start,
    ms: result.ms,
    result: verdict.code,
  };
  const firstMs = result.firstByteMs ?? result.headMs;
  if (firstMs !== undefined) attempt.first_byte = firstMs;
  if (probe) attempt.probe = true;
  noteMessage(attempt, choice, verdict.message);
  return attempt;
}

/** A refusal that is of the account switches the channel off, or its key, if the settings have it so. */
function reportRefusal(
  { autoSwitcher }: Deps,
  { caller }: RelayCall,
  { channel, key }: ChannelChoice,
  { upstreamRefusal: refused, message }: Verdict,
  fault: AttemptFault,
  asked: Buffer,
): void {
  if (!refused || fault.cause === 'content') return;
  // Of what is the request's own fault only a phrase can tell that it is the account's.
  const told = fault.cause === 'request' ? { status: refused.status, message: refused.message } : refused;
  const by = { userId: caller.userId, isAdmin: isAdmin(caller.userRole), proves: isProof(fault, refused) };
  autoSwitcher.refused(channel, key, told, message ?? refused.message, asked, by);
}

/** Whether a refusal can be due to nothing that a caller does: one that forbids may be about what was asked. */
const isProof = ({ cause, countsAgainst: counts }: AttemptFault, { status }: UpstreamRefusal): boolean =>
  counts === 'always' && (cause === 'billing' || (cause === 'key' && status !== 403));

/** Why a call is at its end whatever is still allowed; undefined: it is not. */
function whyFinal(result: AttemptResult, response: ServerResponse, stopping: ShutdownState): NextStep | undefined {
  if (response.headersSent) return 'answer_had_begun';
  if (result.clientGone || response.destroyed) return 'client_gone';
  return stopping.isStopping ? 'stopping' : undefined;
}

/** Why a failure is not followed by another attempt; undefined: it may be. */
const whyNotRetried = (
  deps: Deps,
  call: RelayCall,
  fault: AttemptFault,
  made: number,
  passedMs: number,
): NextStep | undefined => (fault.retry ? whyNoRetry(deps, call, made, passedMs) : 'not_retryable');

/**
 * Whether a channel that has not failed for a while may be asked beyond the attempts that are allowed: several channels
 * can fail in the same moment for the first time. Refusals cost nothing upstream, so only other failures are bounded.
 */
function mayExceedRetries({ live }: Deps, attempts: readonly Attempt[], passedMs: number): boolean {
  const { RetryTimes, RetryTimeOut } = live.settings;
  const costly = attempts.filter(({ status, cause }) => status < 300 && cause !== 'connect').length;
  return RetryTimes > 0 && costly <= RetryTimes && passedMs <= RetryTimeOut * 1000;
}

/** Why no further attempt is allowed. */
export function whyNoRetry({ live }: Deps, { pin }: RelayCall, made: number, passedMs: number): NextStep | undefined {
  if (pin !== undefined) return 'pinned';
  if (made > live.settings.RetryTimes) return 'out_of_attempts';
  return passedMs > live.settings.RetryTimeOut * 1000 ? 'out_of_time' : undefined;
}
