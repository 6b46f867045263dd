/** Silence after which a node is presumed dead. */
const DEAD_AFTER_MS = 60_000;
/** Without a look for this long, this node was cut off itself and knows nothing about others. */
const LOOKING_MS = 20_000;

interface LastHeartbeat {
  seen_time: number;
  atMs: number;
}

/**
 * Measures how long other nodes have been silent, on this node's monotonic clock: a node is alive when its `seen_time`
 * changes, so its clock may be wrong by hours. After a database outage every node gets the full time again.
 */
export class Silence {
  readonly #nowMs: () => number;
  #heard = new Map<string, LastHeartbeat>();
  #lookedMs = -Infinity;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Records the current rows; returns the ids of nodes that have been silent for too long. */
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
