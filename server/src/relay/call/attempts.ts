import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import { type Attempt, isAdmin } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import { hostName, leadsToAny } from '#live/host-health.ts';
import type { Hold, Refusal } from '#quota/book.ts';
import { type AttemptFault, concernsHost, concernsKey, faultOf, stepFailure } from '#relay/outcome/fault.ts';
import { judge } from '#relay/outcome/judge.ts';
import { judgeRefused } from '#relay/stream/guard-answer.ts';
import { type CutEnd, judgeCut } from '#relay/outcome/judge-cut.ts';
import { noteMessage } from '#relay/outcome/upstream-text.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { lackingFor } from '#relay/admission/limit-refusal.ts';
import { RelayError, serverStopping } from '#relay/reply/relay-error.ts';
import { newTried, whyNoneLeft } from '#relay/select/choose-channel.ts';
import { costOfFailure } from './attempt-cost.ts';
import { endFailedRoom, giveBackRoom, withRoom } from './channel-room.ts';
import { planAgain, planFallback, planNext, planNextModel, planWithPictures } from './plan-attempt.ts';
import { confirmsLack, lackedApi, noteLack } from '#relay/select/responses-fallback.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import { sendAttempt } from '#relay/upstream/send-attempt.ts';
import { noteCachePlace, noteOutcome, noteProbe } from './note-health.ts';
import { reservationBasis, reservationOf } from './reservation.ts';
import { streamCreditFor } from './stream-credit.ts';
import type {
  ChannelChoice,
  FinishedAttempts,
  HttpContext,
  PlannedAttempt,
  RelayCall,
  TriedChannels,
  MaskedRefusal,
  Verdict,
  VerdictInput,
} from '#relay/types/call-types.ts';

/** The step after a failed attempt, or the reason why there is none. */
type NextStep = NonNullable<Attempt['next']>;

/**
 * Tries the first channel, then others while nothing has reached the caller and another channel may answer. Reserves
 * the difference before trying a dearer channel.
 */
export async function runAttempts(
  context: HttpContext,
  call: RelayCall,
  hold: Hold,
  first: PlannedAttempt,
): Promise<FinishedAttempts> {
  const { deps } = context;
  const attempts: Attempt[] = [];
  let tried: TriedChannels | undefined;
  let made = 0;
  let fellBack: LiveChannel | undefined;
  let askedAgain = false;
  let excusedMs = 0;
  let plan = first;
  let finished: FinishedAttempts | undefined;
  if (first.outgoing.missingPictures) {
    const fetched = await fetchPictures(context, call, first, (tried ??= newTried()));
    if (!fetched.plan) return withoutPictures(call, first);
    excusedMs += fetched.ms;
    plan = fetched.plan;
  }
  for (;;) {
    if (plan.choice.channel.limits) {
      const avoided = tried ?? newTried();
      const from = performance.now();
      const caller = attempts.length === 0 ? context.response : undefined;
      const roomy = await planWithRoom(context, call, plan, { tried: avoided, caller });
      excusedMs += performance.now() - from;
      if (roomy instanceof RelayError) {
        const other = call.chain && planNextModel(deps, call, 'error');
        if (!other) return atLimits(plan, roomy, finished);
        tried = undefined;
        plan = other;
        continue;
      }
      if (roomy !== plan) tried = avoided;
      plan = roomy;
    }
    const { choice, outgoing } = plan;
    const lacking = plan === first ? undefined : await reserveMore(deps, call, hold, choice);
    if (lacking !== undefined) {
      giveBackRoom(deps, call);
      return cannotPay(deps, { call, plan, lacking }, finished);
    }
    if (choice.probe) noteProbe(deps, call, choice);
    const start = Math.round(performance.now() - call.startMs);
    const result = await sendAttempt(context, call, plan, streamCreditFor(deps, call, hold, choice));
    const judged = { request: call.request, choice, outgoing, operation: call.operation, json: call.json };
    const verdict = verdictOn(deps, call, judged, result);
    const attempt = attemptRecord(choice, result, verdict, start);
    if (call.chain) attempt.model = call.request.model;
    attempts.push(attempt);
    deps.meter.attempted(verdict.code, choice.channel.provider.type);
    const lacked = fellBack === choice.channel ? undefined : lackedApi(call, choice, result, verdict);
    const isUnsupported = lacked !== undefined && (lacked !== 'responses' || (await confirmsLack(deps, choice)));
    const fault = verdict.outcome === 'failed' || verdict.outcome === 'broken' ? faultOf(result, verdict) : undefined;
    if (fault) attempt.cause = fault.cause;
    if (isUnsupported) noteLack(deps, choice, lacked, Date.now());
    else {
      noteOutcome(deps, call, choice, { result, verdict, fault });
      noteCachePlace(deps, call, choice, { result, verdict, moved: tried !== undefined });
      if (fault) reportRefusal(deps, call, choice, { verdict, fault });
    }
    const firstMs = result.firstByteMs ?? result.headMs;
    finished = {
      choice,
      outgoing,
      verdict,
      attempts,
      firstMs: firstMs === undefined ? undefined : start + firstMs,
    };
    if (verdict.outcome !== 'failed' || !fault) return finished;
    endFailedRoom(deps, call, verdict, result);

    tried ??= newTried();
    // The same request in another API counts as the same attempt.
    const fallback = isUnsupported ? planFallback(deps, call, choice) : undefined;
    if (fallback) fellBack = choice.channel;
    if (!fallback && countsAsRetry(fault, choice, tried)) made++;
    if (!fallback) noteTried(deps, tried, choice, fault);
    // Time lost to a first-token timeout or a dead host does not count towards the retry budget.
    if (result.failure?.code === 'first_token_timeout' || fault.unreachableHost !== undefined) excusedMs += result.ms;
    const spentMs = performance.now() - call.startMs - excusedMs;
    let final =
      whyFinal(context, result) ?? (fallback ? undefined : whyNotRetried(deps, call, fault, { made, spentMs }));
    const isSpent = final === 'out_of_attempts' && mayExceedRetries(deps, attempts, spentMs);
    if (isSpent) {
      tried.isLastAttempt = tried.onlyStable = true;
      final = undefined;
    } else tried.isLastAttempt = made === deps.live.settings.RetryTimes;
    let next = final === undefined ? (fallback ?? planNext(deps, call, tried)) : undefined;
    if (!next && (final === undefined || final === 'pinned') && !askedAgain && isStale(result)) {
      askedAgain = true;
      next = planAgain(deps, call, choice);
      final = undefined;
    }
    const moved = next || !call.chain ? undefined : nextModel(context, call, result, { fault, verdict });
    if (moved) {
      next = moved;
      tried = newTried();
      made = 0;
      // A model that took its time leaves the next one its own.
      excusedMs = performance.now() - call.startMs;
      fellBack = undefined;
    }
    if (next?.outgoing.missingPictures) {
      const fetched = await fetchPictures(context, call, next, tried);
      excusedMs += fetched.ms;
      next = fetched.plan;
    }
    attempt.next = moved
      ? 'next_model'
      : (final ?? (isSpent && !next ? 'out_of_attempts' : nextStepFor(deps, call, next?.choice, { fault, tried })));
    if (!next) return finished;
    plan = next;
  }
}

function verdictOn(deps: Deps, call: RelayCall, judged: VerdictInput, result: AttemptResult): Verdict {
  if (result.refused) return judgeRefused(call, judged, result, undefined);
  if (result.cut) return judgeCut(judged, result, cutEnd(deps, call, result.cut));
  const verdict = judge(judged, result);
  // The end of a stream is read last.
  return result.stream && call.guard?.answer?.refusedBy ? judgeRefused(call, judged, result, verdict) : verdict;
}

/** Plans the next step of a virtual model, if the caller can still be answered; undefined: the failure is the end. */
function nextModel(
  context: HttpContext,
  call: RelayCall,
  result: AttemptResult,
  { fault, verdict }: { fault: AttemptFault; verdict: Verdict },
): PlannedAttempt | undefined {
  if (whyFinal(context, result) !== undefined) return undefined;
  const failure = stepFailure(fault, verdict);
  return failure && planNextModel(context.deps, call, failure);
}

/** A server that closes an idle connection does so within a moment of its next request, and reads nothing of it. */
const STALE_MS = 1_000;
const closings = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether the connection was probably closed before the request arrived: then it may be sent once more on another one. */
const isStale = ({ failure, ms, requestStarted, wasReused }: AttemptResult): boolean =>
  requestStarted && wasReused === true && ms < STALE_MS && closings.has(failure?.system ?? '');

/**
 * Whether an attempt counts towards `RetryTimes`. Not counted: nothing was sent, unless it is the second attempt at an
 * unreachable host; and probes, which test a resting channel on behalf of others.
 */
export function countsAsRetry(
  { notSent, unreachableHost }: AttemptFault,
  { probe }: ChannelChoice,
  { unreachableHosts }: TriedChannels,
): boolean {
  return notSent ? unreachableHost !== undefined && unreachableHosts.has(unreachableHost) : probe !== true;
}

/** Excludes what failed from the next choice. */
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

/** `next` of a failed attempt: which kind of channel follows, or why none does. */
export function nextStepFor(
  deps: Deps,
  call: RelayCall,
  next: ChannelChoice | undefined,
  { fault, tried }: { fault: AttemptFault; tried: TriedChannels },
): NextStep {
  if (!next) return whyNoneLeft(deps, call, tried);
  const { channel, key, operation } = next;
  const isElsewhere =
    fault.unreachableHost !== undefined &&
    !leadsToAny(deps.live.hosts.routeOf(channel, key, operation), tried.unreachableHosts);
  return isElsewhere ? 'other_host' : 'retried';
}

/** Plans the same channel with its pictures, or another channel; measures how long fetching took. */
async function fetchPictures(
  context: HttpContext,
  call: RelayCall,
  from: PlannedAttempt,
  tried: TriedChannels,
): Promise<{ plan: PlannedAttempt | undefined; ms: number }> {
  const start = performance.now();
  const plan = await planWithPictures(context, call, from, tried);
  return { plan, ms: performance.now() - start };
}

/** The pictures could not be fetched, or the caller left: no channel was tried. */
function withoutPictures(call: RelayCall, first: PlannedAttempt): FinishedAttempts {
  const refusal = call.pictures?.refusal ?? serverStopping();
  const verdict = failedVerdict('picture_not_fetched', refusal.message, refusal);
  return { ...first, verdict, attempts: [], firstMs: undefined };
}

/**
 * Reserves the difference when a channel maps the model to a dearer one. Returns which account or budget is
 * insufficient; undefined: covered.
 */
export async function reserveMore(
  deps: Deps,
  call: RelayCall,
  hold: Hold,
  choice: ChannelChoice,
): Promise<Refusal | undefined> {
  const reservation = reservationOf(call, choice, reservationBasis(deps));
  call.reservation = reservation;
  const more = reservation.credits - call.reserved;
  if (more <= 0) return undefined;
  const refusal = await deps.book.extend(hold, more);
  if (refusal === undefined) call.reserved += more;
  return refusal;
}

/** How a stream ends that nothing is left to pay for. */
const cutEnd = (deps: Deps, { dialect, startedS }: RelayCall, by: Refusal): CutEnd => ({
  by: typeof by === 'string' ? by : by.name,
  error: lackingFor(deps, by, dialect),
  isError: deps.live.settings.StreamQuotaEnd === 'error',
  startedS,
});

/** The plan or another one, with room in the limits of its channel and with its pictures; the refusal if there is none. */
async function planWithRoom(
  context: HttpContext,
  call: RelayCall,
  planned: PlannedAttempt,
  { tried, caller }: { tried: TriedChannels; caller: ServerResponse | undefined },
): Promise<PlannedAttempt | RelayError> {
  const { deps } = context;
  let plan = planned;
  for (;;) {
    const roomy = await withRoom(deps, call, plan, { tried, next: () => planNext(deps, call, tried), caller });
    if (roomy instanceof RelayError || !roomy.outgoing.missingPictures) return roomy;
    const { plan: fetched } = await fetchPictures(context, call, roomy, tried);
    if (fetched?.choice.channel === roomy.choice.channel) return fetched;
    giveBackRoom(deps, call);
    if (!fetched) return call.pictures?.refusal ?? serverStopping();
    plan = fetched;
  }
}

/** All channels left are at limits: the last failure if there was one, else the refusal. */
function atLimits(plan: PlannedAttempt, refusal: RelayError, finished: FinishedAttempts | undefined): FinishedAttempts {
  const last = finished?.attempts.at(-1);
  if (finished && last) {
    last.next = 'others_full';
    return finished;
  }
  return { ...plan, verdict: failedVerdict(refusal.code, refusal.message, refusal), attempts: [], firstMs: undefined };
}

/** The choice or another one with room in its limits and with its credits reserved; the refusal if there is none. */
export async function choiceWithRoom(
  deps: Deps,
  { call, choice, hold }: { call: RelayCall; choice: ChannelChoice; hold: Hold },
  {
    next,
    ...search
  }: { tried: TriedChannels; next(): ChannelChoice | undefined; caller: Duplex | ServerResponse | undefined },
): Promise<ChannelChoice | RelayError> {
  const other = () => {
    const found = next();
    return found && { choice: found };
  };
  const roomy = await withRoom(deps, call, { choice }, { ...search, next: other });
  if (roomy instanceof RelayError) return roomy;
  const lacking = roomy.choice === choice ? undefined : await reserveMore(deps, call, hold, roomy.choice);
  if (lacking === undefined) return roomy.choice;
  giveBackRoom(deps, call);
  return lackingFor(deps, lacking, call.dialect);
}

/** Keeps the last failure if there was one; without any attempt the call is refused for its price. */
function cannotPay(
  deps: Deps,
  { call, plan, lacking }: { call: RelayCall; plan: PlannedAttempt; lacking: Refusal },
  finished: FinishedAttempts | undefined,
): FinishedAttempts {
  const last = finished?.attempts.at(-1);
  if (finished && last) {
    last.next = 'no_other_channel';
    return finished;
  }
  const refusal = lackingFor(deps, lacking, call.dialect);
  const verdict = failedVerdict(refusal.code, refusal.message, refusal);
  return { ...plan, verdict, attempts: [], firstMs: undefined };
}

/** The attempt's entry in the log row; `start` in milliseconds from the start of the call. */
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
  if (choice.affinity) attempt.affinity = choice.affinity;
  if (choice.preferred) attempt.preferred = choice.preferred;
  if (verdict.outcome === 'failed') {
    const cost = costOfFailure(choice, result, verdict);
    if (cost) attempt.cost = cost;
  }
  noteMessage(attempt, choice, verdict.message, result.address);
  return attempt;
}

/** Reports an account's refusal to the auto-switcher, which may disable the channel or its key. */
export function reportRefusal(
  { autoSwitcher }: Deps,
  { caller, body }: RelayCall,
  { channel, key }: ChannelChoice,
  { verdict, fault }: { verdict: Verdict; fault: AttemptFault },
): void {
  const { upstreamRefusal, message } = verdict;
  if (!upstreamRefusal || fault.cause === 'content') return;
  // For a fault of the request, only a keyword in the text can blame the account.
  const refusal =
    fault.cause === 'request' ? { status: upstreamRefusal.status, message: upstreamRefusal.message } : upstreamRefusal;
  const by = { userId: caller.userId, isAdmin: isAdmin(caller.userRole), proves: isProof(fault, upstreamRefusal) };
  autoSwitcher.refused(channel, key, refusal, { reason: message ?? upstreamRefusal.message, sent: body, ...by });
}

/** Whether no caller can have caused the refusal. A 403 may be about what was asked. */
const isProof = ({ cause, countsAgainst }: AttemptFault, { status }: MaskedRefusal): boolean =>
  countsAgainst === 'always' && (cause === 'billing' || (cause === 'key' && status !== 403));

/** Why the call ends regardless of the retries left; undefined: it may go on. */
function whyFinal({ response, shutdown }: HttpContext, result: AttemptResult): NextStep | undefined {
  if (response.headersSent) return 'answer_had_begun';
  if (result.clientGone || response.destroyed) return 'client_gone';
  return shutdown.isStopping ? 'stopping' : undefined;
}

/** Retries made, and the time they took, in milliseconds. */
interface RetryBudget {
  made: number;
  spentMs: number;
}

/** Why a failure is not retried; undefined: it may be. */
export const whyNotRetried = (
  deps: Deps,
  call: RelayCall,
  fault: AttemptFault,
  budget: RetryBudget,
): NextStep | undefined => (fault.retry ? whyNoRetry(deps, call, budget) : 'not_retryable');

/**
 * Whether a stable channel may be tried beyond `RetryTimes`: several channels can fail for the first time at the same
 * moment. Refused attempts cost nothing upstream, so only other failures are limited.
 */
function mayExceedRetries({ live }: Deps, attempts: readonly Attempt[], spentMs: number): boolean {
  const { RetryTimes, RetryTimeOut } = live.settings;
  const costly = attempts.filter(({ status, cause }) => status < 300 && cause !== 'connect').length;
  return RetryTimes > 0 && costly <= RetryTimes && spentMs <= RetryTimeOut * 1000;
}

function whyNoRetry({ live }: Deps, { pin, place }: RelayCall, { made, spentMs }: RetryBudget): NextStep | undefined {
  if (pin !== undefined || place !== undefined) return 'pinned';
  if (made > live.settings.RetryTimes) return 'out_of_attempts';
  return spentMs > live.settings.RetryTimeOut * 1000 ? 'out_of_time' : undefined;
}
