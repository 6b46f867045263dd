import type { AttemptKind, ChannelFailure } from '@relay-hub/contract';
import { addTime, type FirstTokenTimes, noTimes } from './first-token-times.ts';

/** The owner of a key. */
export interface HourCaller {
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
}

/** A call that passed the checks of the hub, after its last attempt. */
export interface EndedCall {
  caller: HourCaller;
  model: string;
  failed: boolean;
  credits: number;
  /** Until the first byte of a stream, for the caller and for the last attempt; undefined: no stream. Milliseconds. */
  firstMs: number | undefined;
  attemptFirstMs: number | undefined;
  /** Of a successful call with one attempt that is no session. Milliseconds. */
  durationMs?: number | undefined;
  /** The attempts in order: channel and result; empty: it failed before the first one. */
  attempts: readonly (readonly [channel: number, kind: AttemptKind])[];
  /** Of a failed call: its last attempt. `hub`: there was none. Status 0: no answer came. */
  failure?: { status: number; kind: AttemptKind | 'hub'; message: string };
}

/** A call that ended at the hub. */
export interface RefusedAtHub {
  caller: HourCaller;
  model: string;
  status: number;
  reason: string;
}

export interface Tally {
  calls: number;
  refused: number;
  failed: number;
}

export interface CallerTally extends Tally {
  userId: number;
  username: string;
  tokenName: string;
}

export interface ChannelTally {
  attempts: number;
  failed: number;
  kinds: Map<ChannelFailure, number>;
  /** Of streams that this channel answered. */
  times: FirstTokenTimes | undefined;
  /** Of whole calls that only this channel was asked for. */
  durations?: FirstTokenTimes | undefined;
}

/** Equal troubles of a minute. */
export interface CallTrouble {
  kind: 'failed' | 'refused' | 'frozen';
  /** Of the last one. Unix seconds. */
  time: number;
  count: number;
  status: number;
  /** Kind of the last attempt of a failure, reason of a refusal, cause of a freeze. */
  reason: string;
  message: string;
  channelId: number;
  model: string;
  userId: number;
  username: string;
  tokenName: string;
}

/** Last results of a channel's attempts, in Unix seconds (0: none), and up to `MOST_SIGNED` users who had them. */
export interface ChannelSign {
  okAt: number;
  failedAt: number;
  okBy: Set<number>;
  failedBy: Set<number>;
}

/** Calls of a model: when one was answered and when one failed for lack of a channel; calls refused for lack of a price. */
export interface ModelSign {
  servedAt: number;
  unservedAt: number;
  unserved: number;
  /** Of `unserved`: those for which the hub found no channel. */
  none: number;
  unpriced: number;
}

/** Failures of a call that no request can cause. Others show when its channels are frozen. */
const provesOutage: ReadonlySet<string> = new Set(['connect', 'timeout', 'key', 'rate', 'model', 'hub']);

/** Enough users to know whether several met the same. */
const MOST_SIGNED = 3;
const MOST_SIGNED_MODELS = 300;

/** More keys than these share one entry: id 0, or no name. */
const MOST_TOKENS = 200;
const MOST_MODELS = 100;
const MOST_CHANNELS = 200;
const MOST_TROUBLES = 20;
const MAX_TEXT = 200;

/** The calls that ended within one minute. Feeding it costs a few look-ups; memory is bounded. */
export class Minute {
  /** Number of the minute: Unix seconds / 60. */
  readonly number: number;
  readonly sums = { calls: 0, refused: 0, failed: 0, attempts: 0, failedAttempts: 0, retries: 0, unsent: 0, quota: 0 };
  readonly times = noTimes();
  /** By token; 0: all beyond the limit. */
  readonly callers = new Map<number, CallerTally>();
  /** By name; empty: unnamed, and all beyond the limit. */
  readonly models = new Map<string, Tally>();
  readonly channels = new Map<number, ChannelTally>();
  readonly troubles = new Map<string, CallTrouble>();
  readonly channelSigns = new Map<number, ChannelSign>();
  readonly modelSigns = new Map<string, ModelSign>();

  constructor(number: number) {
    this.number = number;
  }

  ended(call: EndedCall, now: number): void {
    const { sums } = this;
    const { attempts, caller, model, failure } = call;
    sums.calls++;
    sums.quota += call.credits;
    sums.attempts += attempts.length;
    if (attempts.length === 0) sums.unsent++;
    else sums.retries += attempts.length - 1;
    if (call.firstMs !== undefined) addTime(this.times, call.firstMs);
    const byCaller = this.callerOf(caller);
    const byModel = this.modelOf(model);
    byCaller.calls++;
    byModel.calls++;
    if (call.failed) {
      sums.failed++;
      byCaller.failed++;
      byModel.failed++;
    }
    for (const [channel, kind] of attempts) {
      const tally = this.channelOf(channel);
      tally.attempts++;
      // A request that any channel would refuse says nothing about this one.
      if (kind === 'request' || kind === 'caller') continue;
      this.#sign(channel, caller.userId, kind === 'ok', now);
      if (kind === 'ok') continue;
      sums.failedAttempts++;
      tally.failed++;
      tally.kinds.set(kind, (tally.kinds.get(kind) ?? 0) + 1);
    }
    const last = attempts.at(-1);
    const sign = this.#modelSign(model);
    if (!call.failed) sign.servedAt = now;
    else if (failure && provesOutage.has(failure.kind)) {
      sign.unserved++;
      sign.unservedAt = now;
    }
    if (last && call.attemptFirstMs !== undefined)
      addTime((this.channelOf(last[0]).times ??= noTimes()), call.attemptFirstMs);
    if (last && call.durationMs !== undefined)
      addTime((this.channelOf(last[0]).durations ??= noTimes()), call.durationMs);
    if (failure) {
      const { status, kind, message } = failure;
      this.trouble({ kind: 'failed', status, reason: kind, message, channelId: last?.[0] ?? 0, model, caller }, now);
    }
  }

  refused({ caller, model, status, reason }: RefusedAtHub, now: number): void {
    // A status of 500 or more is the hub's failure, not the caller's.
    const outcome = status >= 500 ? 'failed' : 'refused';
    this.sums.calls++;
    this.sums[outcome]++;
    for (const tally of [this.callerOf(caller), this.modelOf(model)]) {
      tally.calls++;
      tally[outcome]++;
    }
    if (outcome === 'failed') this.sums.unsent++;
    if (reason === 'no_available_channel') {
      const sign = this.#modelSign(model);
      sign.unserved++;
      sign.none++;
      sign.unservedAt = now;
    }
    if (reason === 'model_not_priced') this.#modelSign(model).unpriced++;
    this.trouble({ kind: 'refused', status, reason, message: '', channelId: 0, model, caller }, now);
  }

  #sign(channel: number, userId: number, isOk: boolean, now: number): void {
    let sign = this.channelSigns.get(channel);
    if (!sign) this.channelSigns.set(channel, (sign = { okAt: 0, failedAt: 0, okBy: new Set(), failedBy: new Set() }));
    sign[isOk ? 'okAt' : 'failedAt'] = now;
    const users = isOk ? sign.okBy : sign.failedBy;
    if (users.size < MOST_SIGNED) users.add(userId);
  }

  #modelSign(name: string): ModelSign {
    const known = this.modelSigns.get(name);
    if (known) return known;
    const sign = { servedAt: 0, unservedAt: 0, unserved: 0, none: 0, unpriced: 0 };
    if (this.modelSigns.size < MOST_SIGNED_MODELS && name !== '' && name.length <= MAX_TEXT)
      this.modelSigns.set(name, sign);
    return sign;
  }

  /** A channel is frozen for a while. */
  froze(channelId: number, model: string, cause: string, now: number): void {
    this.trouble({ kind: 'frozen', status: 0, reason: cause, message: '', channelId, model, caller: noCaller }, now);
  }

  trouble(
    of: Pick<CallTrouble, 'kind' | 'status' | 'reason' | 'message' | 'channelId' | 'model'> & { caller: HourCaller },
    now: number,
  ): void {
    const { caller, ...facts } = of;
    const { userId, username, tokenId, tokenName } = caller;
    const key = `${of.kind} ${of.status} ${of.reason} ${of.channelId} ${tokenId}`;
    const known = this.troubles.get(key);
    if (known) {
      known.count++;
      known.time = now;
      return;
    }
    if (this.troubles.size >= MOST_TROUBLES) return;
    const message = of.message.slice(0, MAX_TEXT);
    const model = of.model.slice(0, MAX_TEXT);
    this.troubles.set(key, { ...facts, message, model, time: now, count: 1, userId, username, tokenName });
  }

  callerOf({ tokenId, userId, username, tokenName }: HourCaller): CallerTally {
    const known = this.callers.get(tokenId);
    if (known) return known;
    if (this.callers.size >= MOST_TOKENS && tokenId !== 0) return this.callerOf(noCaller);
    const tally = { userId, username, tokenName, calls: 0, refused: 0, failed: 0 };
    this.callers.set(tokenId, tally);
    return tally;
  }

  modelOf(name: string): Tally {
    const known = this.models.get(name);
    if (known) return known;
    // Callers choose the names of refused calls.
    if ((this.models.size >= MOST_MODELS || name.length > MAX_TEXT) && name !== '') return this.modelOf('');
    const tally = { calls: 0, refused: 0, failed: 0 };
    this.models.set(name, tally);
    return tally;
  }

  channelOf(id: number): ChannelTally {
    const known = this.channels.get(id);
    if (known) return known;
    if (this.channels.size >= MOST_CHANNELS && id !== 0) return this.channelOf(0);
    const tally = { attempts: 0, failed: 0, kinds: new Map<ChannelFailure, number>(), times: undefined };
    this.channels.set(id, tally);
    return tally;
  }
}

const noCaller: HourCaller = { userId: 0, username: '', tokenId: 0, tokenName: '' };
