/** Calls that a median is of, and the fewest that it needs. */
const MOST = 32;
const FEWEST = 4;
/** Calls that count for shares, and their age: a channel that has changed is noticed soon, and one without calls is new. */
const RECENT = 9;
const RECENT_MS = 600_000;
/** A median that differs by less leaves the shares. */
const NOTABLE = 1.2;
const MODELS = 5000;

interface Samples {
  /** Milliseconds to the first content, and output tokens per second; the newest replaces the oldest. */
  first: number[];
  rate: number[];
  /** Unix milliseconds. */
  times: number[];
  at: number;
  /** The latency that shares are computed by; 0: none yet. */
  held: number;
}

/**
 * Speeds of channels by model, as this process has measured them: medians of the latest calls. Nothing is measured
 * before a choice asks for it.
 */
export class ChannelSpeeds {
  /** A choice has asked for speeds. */
  isWanted = false;
  readonly #samples = new Map<string, Samples>();

  note(
    channelId: number,
    model: string,
    { firstMs, ms, tokens }: { firstMs: number; ms: number; tokens: number },
  ): void {
    const key = `${channelId} ${model}`;
    let known = this.#samples.get(key);
    if (!known) {
      if (this.#samples.size >= MODELS) return;
      this.#samples.set(key, (known = { first: [], rate: [], times: [], at: 0, held: 0 }));
    }
    const at = known.at++ % MOST;
    known.first[at] = firstMs;
    known.rate[at] = (tokens * 1000) / Math.max(1, ms);
    known.times[at] = Date.now();
  }

  /**
   * Milliseconds to the first content in the latest calls of the last minutes, which small changes leave; undefined: too
   * few calls.
   */
  steadyLatency(channelId: number, model: string): number | undefined {
    const known = this.#samples.get(`${channelId} ${model}`);
    if (!known) return undefined;
    const since = Date.now() - RECENT_MS;
    const latest: number[] = [];
    for (let back = 1; back <= Math.min(RECENT, known.at); back++) {
      const at = (known.at - back) % MOST;
      if (known.times[at]! >= since) latest.push(known.first[at]!); // written together
    }
    const found = median(latest);
    if (found === undefined) {
      known.held = 0;
      return undefined;
    }
    const now = Math.max(1, found);
    if (now > known.held * NOTABLE || now < known.held / NOTABLE) known.held = now;
    return known.held;
  }

  /** Milliseconds; undefined: too few calls. */
  latency(channelId: number, model: string): number | undefined {
    return median(this.#samples.get(`${channelId} ${model}`)?.first);
  }

  /** Tokens per second; undefined: too few calls. */
  throughput(channelId: number, model: string): number | undefined {
    return median(this.#samples.get(`${channelId} ${model}`)?.rate);
  }
}

const median = (values: readonly number[] = []): number | undefined =>
  values.length < FEWEST ? undefined : values.toSorted((a, b) => a - b)[values.length >> 1];
