/** A node is taken for dead when it has not been heard of for so long. */
const DEAD_AFTER_MS = 60_000;
/** Whoever has not looked for so long was cut off himself, and knows nothing of the others. */
const LOOKING_MS = 20_000;

interface LastHeartbeat {
  seen_time: number;
  atMs: number;
}

/**
 * How long other nodes have been silent: by what this one has seen for itself, on a clock that only goes forward. What
 * they write as their time is compared with nothing but what they wrote before, so it may be wrong by hours; and after
 * the database was away for all of them, each has its time to be heard of again.
 */
export class Silence {
  readonly #nowMs: () => number;
  #heard = new Map<string, LastHeartbeat>();
  #lookedMs = -Infinity;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Notes what stands in the database now; returns the nodes that have been silent for too long. */
  look(nodes: readonly { id: string; seen_time: number }[]): Set<string> {
    const nowMs = this.#nowMs();
    const before = nowMs - this.#lookedMs > LOOKING_MS ? new Map<string, LastHeartbeat>() : this.#heard;
    this.#lookedMs = nowMs;
    this.#heard = new Map();
    const silent = new Set<string>();
    for (const { id, seen_time } of nodes) {
      const known = before.get(id);
      const heard = known?.seen_time === seen_time ? known : { seen_time, atMs: nowMs };
      this.#heard.set(id, heard);
      if (nowMs - heard.atMs > DEAD_AFTER_MS) silent.add(id);
    }
    return silent;
  }
}
