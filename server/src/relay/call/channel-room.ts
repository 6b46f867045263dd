import { inputTokens, type LimitMeasure, type TokenCap } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { type FullLimit, isFull, type LimitNeed } from '#live/limit-uses.ts';
import type { Connection, QueuePlace } from '#live/waiting-calls.ts';
import type { Settlement } from '#quota/book.ts';
import { MAX_RETRY_AFTER_S } from '#relay/outcome/upstream-refusal.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import type { ChannelChoice, FinishedCall, RelayCall, TriedChannels, Verdict } from '#relay/types/call-types.ts';

/** A planned attempt, as far as limits concern it. */
interface PlannedAt {
  choice: ChannelChoice;
}

/** How the next plan is found while channels are full. */
interface Search<Plan extends PlannedAt> {
  tried: TriedChannels;
  /** Another plan, with `tried.full` left out if possible; undefined: there is none. */
  next(): Plan | undefined;
  /** The caller, if the call may wait; undefined: it has failed elsewhere. */
  caller: Connection | undefined;
}

/** Most channels and keys that are asked for room, one after the other. */
const MOST_ASKED = 32;

/**
 * The plan, or another one, with room taken in the limits of its channel and key. If all are full, the call waits as long
 * as its user group allows; then the refusal. For plans of channels without limits nothing happens.
 */
export async function withRoom<Plan extends PlannedAt>(
  deps: Deps,
  call: RelayCall,
  planned: Plan,
  search: Search<Plan>,
): Promise<Plan | RelayError> {
  const { waiting } = deps.live.limiter;
  const { limit_wait: wait } = call.group;
  if (!wait || !search.caller) {
    const found = await findRoom(deps, call, planned, search);
    return 'cap' in found ? channelsFull(call.request.model, found) : found;
  }
  const name = queueOf(call);
  // Calls that wait come first, also if there is room again by now.
  const full = waiting.fullOf(name) ?? (await findRoom(deps, call, planned, search));
  if (!('cap' in full)) return full;
  const turn = waiting.join(name, wait.calls, full);
  if (!turn) return channelsFull(call.request.model, full);
  try {
    return await waitForRoom(deps, call, turn, { ...search, caller: search.caller, seconds: wait.seconds });
  } finally {
    turn.leave();
  }
}

const queueOf = ({ group, request }: RelayCall): string => `${group.symbol}\n${request.model}`;

async function waitForRoom<Plan extends PlannedAt>(
  deps: Deps,
  call: RelayCall,
  turn: QueuePlace,
  search: Search<Plan> & { caller: Connection; seconds: number },
): Promise<Plan | RelayError> {
  const { caller, seconds, tried, next } = search;
  const endMs = Date.now() + seconds * 1000;
  for (;;) {
    const leftMs = endMs - Date.now();
    await turn.news(turn.isFirst ? Math.min(leftMs, turn.full.until - Date.now()) : leftMs, caller);
    if (caller.destroyed) return channelsFull(call.request.model, turn.full);
    if (turn.isFirst) {
      tried.full.clear();
      const plan = next();
      if (plan) {
        const found = await findRoom(deps, call, plan, search);
        if (!('cap' in found)) return found;
        turn.full = found;
      }
    }
    if (Date.now() >= endMs) return channelsFull(call.request.model, turn.full);
  }
}

/** The plan or another one with room taken; or the limit that has room first. */
async function findRoom<Plan extends PlannedAt>(
  deps: Deps,
  call: RelayCall,
  planned: Plan,
  { tried, next }: Search<Plan>,
): Promise<Plan | FullLimit> {
  let plan = planned;
  let full: FullLimit | undefined;
  for (let asked = 0; asked < MOST_ASKED; asked++) {
    const found = await takeRoom(deps, call, plan.choice);
    if (!found) return plan;
    full = sooner(full, found);
    tried.full.set(found.scope, found);
    const other = next();
    if (!other) break;
    // A choice that is full is the last resort of the choice: all others are, too.
    const known = fullFor(deps, other.choice, tried);
    if (known) {
      full = sooner(full, known);
      break;
    }
    plan = other;
  }
  return full!; // set above
}

const sooner = (one: FullLimit | undefined, other: FullLimit): FullLimit =>
  one && one.until <= other.until ? one : other;

/** Takes room for an attempt; returns a limit that has none. Undefined: there is room, or nothing is limited. */
async function takeRoom(deps: Deps, call: RelayCall, choice: ChannelChoice): Promise<FullLimit | undefined> {
  endRoom(deps, call, undefined);
  const { channel, key, upstreamModel: model } = choice;
  if (!channel.limits) return undefined;
  const place = { channelId: channel.id, keyId: key.id, model };
  let given;
  try {
    given = await deps.live.limiter.take(channel.limits, place, needOf(deps, call, choice));
  } catch {
    // While the database is away, calls go on (decision 0087); the limiter has logged it.
    return undefined;
  }
  if (isFull(given)) return given;
  call.room = given;
  return undefined;
}

/** Ends an attempt's use of limits. `used`: actual usage; undefined: unknown, and the estimate stays. */
export function endRoom({ live }: Pick<Deps, 'live'>, call: RelayCall, used: LimitNeed | undefined): void {
  if (!call.room) return;
  live.limiter.end(call.room, used);
  call.room = undefined;
}

/** The same for a failed attempt: what its provider reported, else nothing if it refused. */
export function endFailedRoom(
  deps: Pick<Deps, 'live'>,
  call: RelayCall,
  { spent }: Verdict,
  { status, requestStarted }: Pick<AttemptResult, 'status' | 'requestStarted'>,
): void {
  if (!call.room) return;
  if (!requestStarted) return giveBackRoom(deps, call);
  // What a failure costs is known with its tokens only; the estimate of credits stays then.
  if (spent)
    return endRoom(deps, call, { tokens: inputTokens(spent.usage) + spent.usage.output, credits: call.reserved });
  endRoom(deps, call, status >= 400 ? { tokens: 0, credits: 0 } : undefined);
}

/** Takes back what a call has taken of limits for an attempt that is not made. */
export function giveBackRoom({ live }: Pick<Deps, 'live'>, call: RelayCall): void {
  if (call.room) live.limiter.takeBack(call.room);
  call.room = undefined;
}

/** The same for a settled call: its tokens, and its cost or else its charge. */
export function endSettledRoom(
  deps: Pick<Deps, 'live'>,
  call: RelayCall,
  { credits, log }: Settlement,
  { cost }: Pick<FinishedCall, 'cost'>,
): void {
  if (!call.room) return;
  endRoom(deps, call, {
    tokens: log.promptTokens + log.completionTokens,
    credits: cost === undefined ? credits : Number(cost.credits),
  });
}

/** The estimate for a call, until its usage is known. */
function needOf({ live, typicalOutputs }: Deps, call: RelayCall, { billedModel }: ChannelChoice): LimitNeed {
  const { request, endpoint, operation, reserved } = call;
  if (operation === 'raw') return { tokens: 0, credits: 0 };
  const { inputTokens: input, outputLimit = Infinity, choices = 1 } = request;
  const usual = typicalOutputs.of(billedModel, endpoint);
  const output = Math.min(outputLimit, usual === undefined ? Infinity : usual * choices);
  return { tokens: input + (output === Infinity ? live.settings.PreConsumedQuota : output), credits: reserved };
}

/** The limit that a choice lacks; undefined: none is known to be full. */
const fullFor = ({ live }: Deps, { channel, key, upstreamModel }: ChannelChoice, tried: TriedChannels) =>
  live.limiter.fullAt({ ...channel, keys: [key] }, upstreamModel, tried.full);

/** Refuses a call before it is paid for, if the channel that was chosen is full: then all others are. */
export function refuseIfFull(deps: Deps, call: RelayCall, choice: ChannelChoice, tried: TriedChannels): void {
  const { limiter } = deps.live;
  if (limiter.nothingFull || !choice.channel.limits) return;
  if (limiter.waiting.length(queueOf(call)) < (call.group.limit_wait?.calls ?? 0)) return;
  const full = fullFor(deps, choice, tried);
  if (full) throw channelsFull(call.request.model, full);
}

const measures: Record<LimitMeasure, string> = {
  requests: 'requests',
  tokens: 'tokens',
  calls: 'calls',
  credits: 'budget',
};

const periods: Record<TokenCap['period'], string> = {
  at_once: 'at once',
  minute: 'per minute',
  hour: 'per hour',
  five_hours: 'per five hours',
  day: 'per day',
  week: 'per week',
  month: 'per month',
};

/** 429: all channels for the model are at limits of the operator. Amounts are the operator's, and stay with them. */
function channelsFull(model: string, { cap, until }: FullLimit): RelayError {
  const seconds = Math.max(1, Math.ceil((until - Date.now()) / 1000));
  const retryAfter = String(cap.period === 'minute' ? seconds : Math.min(MAX_RETRY_AFTER_S, seconds));
  return new RelayError(
    429,
    `All channels for '${model}' are at a limit that the operator of this server has set (${measures[cap.measure]} ` +
      `${periods[cap.period]}). Try again in ${seconds} s.`,
    { type: 'rate_limit_error', code: 'rate_limit_exceeded', reason: 'channel_limit', retryAfter },
  );
}
