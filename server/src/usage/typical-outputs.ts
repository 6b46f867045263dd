/** Outputs kept per model and endpoint, and how many are needed for a usual length. */
const KEPT = 64;
const FEWEST = 20;
/** Share of answers that are at most as long as the usual length. */
const SHARE = 0.9;
/** The usual length is computed again after this number of answers. */
const RENEW = 16;
/** Models and endpoints kept; callers choose some of the names. */
const MOST_KEYS = 2000;
const SMALLEST = 64;

interface Outputs {
  tokens: number[];
  next: number;
  /** Answers since `usual` was computed. */
  since: number;
  usual: number | undefined;
}

/** Usual lengths of answers by model and endpoint, learned from recent calls. */
export class TypicalOutputs {
  readonly #byKey = new Map<string, Outputs>();

  /** Adds the completion tokens of an answered call. */
  note(model: string, endpoint: string, tokens: number): void {
    const key = `${model}\n${endpoint}`;
    let outputs = this.#byKey.get(key);
    if (!outputs) {
      if (this.#byKey.size >= MOST_KEYS) {
        const [oldest] = this.#byKey.keys();
        if (oldest !== undefined) this.#byKey.delete(oldest);
      }
      outputs = { tokens: [], next: 0, since: 0, usual: undefined };
      this.#byKey.set(key, outputs);
    }
    outputs.tokens[outputs.next] = tokens;
    outputs.next = (outputs.next + 1) % KEPT;
    outputs.since++;
  }

  /** Output tokens that nine of ten answers need; undefined: too few are known. */
  of(model: string, endpoint: string): number | undefined {
    const outputs = this.#byKey.get(`${model}\n${endpoint}`);
    // Only streams and channels with limits ask, so most calls sort nothing.
    if (outputs && outputs.tokens.length >= FEWEST && (outputs.usual === undefined || outputs.since >= RENEW)) {
      outputs.since = 0;
      const sorted = outputs.tokens.toSorted((a, b) => a - b);
      outputs.usual = Math.max(SMALLEST, sorted[Math.floor((sorted.length - 1) * SHARE)] ?? 0);
    }
    return outputs?.usual;
  }
}
