/** Failures in a row after which a channel is left alone altogether, and not only as long as there are others. */
const OPEN_AFTER = 5;
/** Each further failure in a row doubles the cooldown, up to here. */
const LONGEST_MS = 300_000;
/** What an upstream may ask for at most; some name hours. */
const LONGEST_RETRY_AFTER_MS = 600_000;

interface Trouble {
  failures: number;
  /** Others are preferred until then. Milliseconds since 1970. */
  frozenUntil: number;
  /** Nothing is sent until then: the upstream asked for it, or failed again and again. */
  closedUntil: number;
}

export type Health = 'well' | 'frozen' | 'closed';

/**
 * Which channels have just failed, by channel and the model that the upstream was asked for, in the memory of this node.
 * A frozen one is used only when there is no other; a closed one not at all until its time is over, when one success
 * makes it well again.
 */
export class ChannelHealth {
  readonly #troubles = new Map<number, Map<string, Trouble>>();

  /**
   * A failure that another channel might not have had. `retryAfterMs`: what the upstream asked for. The milliseconds for
   * which it is closed from now on; 0: it is not, or was before.
   */
  failed(channelId: number, model: string, cooldownMs: number, retryAfterMs: number | undefined, now: number): number {
    if (cooldownMs === 0 && retryAfterMs === undefined) return 0;
    const models = this.#troubles.get(channelId) ?? new Map<string, Trouble>();
    this.#troubles.set(channelId, models);
    const before = models.get(model);
    const failures = (before?.failures ?? 0) + 1;
    const asked = now + Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS);
    const cooled = now + Math.min(cooldownMs * 2 ** Math.min(failures - 1, 20), LONGEST_MS);
    const frozenUntil = Math.max(asked, cooled);
    const closedUntil = failures >= OPEN_AFTER ? frozenUntil : asked;
    models.set(model, { failures, frozenUntil, closedUntil });
    return (before?.closedUntil ?? 0) > now ? 0 : closedUntil - now;
  }

  succeeded(channelId: number, model: string): void {
    if (this.#troubles.size === 0) return;
    const models = this.#troubles.get(channelId);
    if (models?.delete(model) && models.size === 0) this.#troubles.delete(channelId);
  }

  /** What is known of a channel for a model, and until when. */
  of(channelId: number, model: string, now: number): { health: Health; until: number } {
    const trouble = this.#troubles.get(channelId)?.get(model);
    if (!trouble || trouble.frozenUntil <= now) return { health: 'well', until: 0 };
    if (trouble.closedUntil > now) return { health: 'closed', until: trouble.closedUntil };
    return { health: 'frozen', until: trouble.frozenUntil };
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

  /** Channels that are frozen for any of their models. */
  frozenChannels(now: number): number[] {
    return [...this.#troubles.keys()].filter((channelId) => this.frozenUntil(channelId, now) > 0);
  }

  /** Holds nothing against a channel any more: it was changed, or has passed its test. */
  forget(channelId: number): void {
    this.#troubles.delete(channelId);
  }

  /** Forgets what is over, so that models of wildcard channels do not gather. */
  sweep(now: number): void {
    for (const [channelId, models] of this.#troubles) {
      // A failure counts towards the next one for as long as the cooldown could last.
      for (const [model, { frozenUntil }] of models) if (frozenUntil + LONGEST_MS < now) models.delete(model);
      if (models.size === 0) this.#troubles.delete(channelId);
    }
  }
}
