import { type Evidence, type Standing, Trouble, WELL } from './trouble.ts';

/** A failure of a channel. Times are in milliseconds. */
export interface ChannelFailure {
  cooldownMs: number;
  /** What the upstream asked for. */
  retryAfterMs?: number | undefined;
  /** Unix milliseconds. */
  now: number;
  evidence?: Evidence;
}

/** Evidence of a failure about which nothing else is known. */
const evidenceAt = (now: number): Evidence => ({ cause: 'server', unclear: false, caller: 0, began: now });

const MOST_MODELS = 1000;

/**
 * Which channels have just failed, by channel and the model that the upstream was asked for, in the memory of this node.
 * A frozen one is used only when there is no other; a closed one not until its time is over, when one call at a time
 * tries it. One success makes it well again.
 */
export class ChannelHealth {
  readonly #troubles = new Map<number, Map<string, Trouble>>();

  /**
   * A failure that counts. `retryAfterMs`: what the upstream asked for. Returns the milliseconds for which the channel is
   * closed from now on; 0: it is not, or was before.
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
    // Callers can make up models of wildcard channels.
    const [oldest] = models.keys();
    if (models.size >= MOST_MODELS && oldest !== undefined && !models.has(model)) models.delete(oldest);
    models.set(model, trouble);
    return trouble.failed(cooldownMs, retryAfterMs, now, evidence);
  }

  /** Nothing is held against it any more. `caller` is remembered for a minute, for what fails next. */
  succeeded(channelId: number, model: string, now: number, caller = 0): void {
    if (this.#troubles.size === 0) return;
    const models = this.#troubles.get(channelId);
    if (caller !== 0) models?.get(model)?.succeeded(caller, now);
    else if (models?.delete(model) && models.size === 0) this.#troubles.delete(channelId);
  }

  /** A call tries a channel that rests. */
  probed(channelId: number, model: string, now: number, caller: number): void {
    this.#troubles.get(channelId)?.get(model)?.probed(caller, now);
  }

  /** What is known of a channel for a model. `caller`: the user whose call it is to serve. */
  of(channelId: number, model: string, now: number, caller = 0): Standing {
    return this.#troubles.get(channelId)?.get(model)?.standing(caller, now) ?? WELL;
  }

  /** Whether it has not failed for a while. */
  isSteady(channelId: number, model: string): boolean {
    return this.#troubles.get(channelId)?.has(model) !== true;
  }

  /** Whether nothing is known against any channel, which spares looking. */
  get untroubled(): boolean {
    return this.#troubles.size === 0;
  }

  /** Until when a channel is frozen for any of its models; 0: it is not. */
  frozenUntil(channelId: number, now: number): number {
    let until = 0;
    for (const trouble of this.#troubles.get(channelId)?.values() ?? []) until = Math.max(until, trouble.frozenUntil);
    return until > now ? until : 0;
  }

  /** Holds nothing against a channel any more: it was changed, or has passed its test. */
  forget(channelId: number): void {
    this.#troubles.delete(channelId);
  }

  /** Forgets what is over, so that models of wildcard channels do not gather. */
  sweep(now: number): void {
    for (const [channelId, models] of this.#troubles) {
      for (const [model, trouble] of models) if (trouble.isOver(now)) models.delete(model);
      if (models.size === 0) this.#troubles.delete(channelId);
    }
  }
}
