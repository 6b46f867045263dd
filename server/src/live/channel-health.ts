import { type Evidence, type HealthForCaller, Trouble, WELL } from './trouble.ts';

/** A failure of a channel. Times are in milliseconds. */
export interface ChannelFailure {
  cooldownMs: number;
  /** Delay requested by the upstream. */
  retryAfterMs?: number | undefined;
  /** Unix milliseconds. */
  now: number;
  evidence?: Evidence;
}

/** Evidence of a failure about which nothing else is known. */
const evidenceAt = (now: number): Evidence => ({ cause: 'server', unclear: false, caller: 0, began: now });

const MOST_MODELS = 1000;

/**
 * Recent failures by channel and upstream model, in the memory of this node. A frozen channel is used only without
 * alternatives; a closed one not until its time is over, then by one probing call at a time. One success clears it.
 */
export class ChannelHealth {
  readonly #troubles = new Map<number, Map<string, Trouble>>();

  /**
   * Records a failure. Returns the milliseconds for which it closes the channel; 0 if it does not, or the channel was
   * closed already.
   */
  failed(
    channelId: number,
    model: string,
    { cooldownMs, retryAfterMs, now, evidence = evidenceAt(now) }: ChannelFailure,
  ): number {
    if (cooldownMs === 0 && retryAfterMs === undefined) return 0;
    const models = this.#troubles.get(channelId) ?? new Map<string, Trouble>();
    this.#troubles.set(channelId, models);
    const trouble = models.get(model) ?? new Trouble();
    // Callers can invent models of wildcard channels.
    const [oldest] = models.keys();
    if (models.size >= MOST_MODELS && oldest !== undefined && !models.has(model)) models.delete(oldest);
    models.set(model, trouble);
    return trouble.failed(cooldownMs, retryAfterMs, now, evidence);
  }

  /** Clears the failures. `caller` is remembered for a minute, to judge later failures. */
  succeeded(channelId: number, model: string, now: number, caller = 0): void {
    if (this.#troubles.size === 0) return;
    const models = this.#troubles.get(channelId);
    if (caller !== 0) models?.get(model)?.succeeded(caller, now);
    else if (models?.delete(model) && models.size === 0) this.#troubles.delete(channelId);
  }

  /** Records that a call probes a frozen channel. */
  probed(channelId: number, model: string, now: number, caller: number): void {
    this.#troubles.get(channelId)?.get(model)?.probed(caller, now);
  }

  /** The state of a channel and model for a caller's user id. */
  of(channelId: number, model: string, now: number, caller = 0): HealthForCaller {
    return this.#troubles.get(channelId)?.get(model)?.healthFor(caller, now) ?? WELL;
  }

  /** Whether it has no recent failure. */
  isSteady(channelId: number, model: string): boolean {
    return this.#troubles.get(channelId)?.has(model) !== true;
  }

  /** Whether no channel has failures, to skip lookups. */
  get untroubled(): boolean {
    return this.#troubles.size === 0;
  }

  /** Until when a channel is frozen for any model; 0: it is not. */
  frozenUntil(channelId: number, now: number): number {
    let until = 0;
    for (const trouble of this.#troubles.get(channelId)?.values() ?? []) until = Math.max(until, trouble.frozenUntil);
    return until > now ? until : 0;
  }

  /** Clears a channel's failures after a change or a passed test. */
  forget(channelId: number): void {
    this.#troubles.delete(channelId);
  }

  /** Removes expired entries, so that models of wildcard channels do not accumulate. */
  sweep(now: number): void {
    for (const [channelId, models] of this.#troubles) {
      for (const [model, trouble] of models) if (trouble.isOver(now)) models.delete(model);
      if (models.size === 0) this.#troubles.delete(channelId);
    }
  }
}
