/** Calls that a median is of, and the fewest that it needs. */
const MOST = 32;
const FEWEST = 4;
const MODELS = 5000;

interface Samples {
  /** Milliseconds to the first content, and output tokens per second; the newest replaces the oldest. */
  first: number[];
  rate: number[];
  at: number;
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
      this.#samples.set(key, (known = { first: [], rate: [], at: 0 }));
    }
    const at = known.at++ % MOST;
    known.first[at] = firstMs;
    known.rate[at] = (tokens * 1000) / Math.max(1, ms);
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
