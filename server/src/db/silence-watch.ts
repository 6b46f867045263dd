import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time without an answer after which a probe checks whether the server answers at all. */
export const SUSPECT_MS = 5_000;
const PROBE_MS = 3_000;
const AGAIN_MS = 500;

/**
 * Distinguishes a silent PostgreSQL from a slow statement: when a query stays unanswered, a probe connects separately.
 * While the probe is unanswered too, all waiting queries are rejected at once instead of one timeout after another.
 */
export class SilenceWatch {
  readonly #connectionString: string;
  readonly #waiting = new Set<() => void>();
  #silent = false;
  #probing = false;
  #closed = false;

  constructor(connectionString: string) {
    this.#connectionString = connectionString;
  }

  /** Whether the server has stopped answering. A probe notices within half a second when it answers again. */
  get silent(): boolean {
    return this.#silent;
  }

  /**
   * Reports an unanswered query. `giveUp` is called if the server turns out to be silent. Returns a function that
   * withdraws the report.
   */
  suspect(giveUp: () => void): () => void {
    if (this.#silent) giveUp();
    else {
      this.#waiting.add(giveUp);
      void this.#probe();
    }
    return () => this.#waiting.delete(giveUp);
  }

  close(): void {
    this.#closed = true;
  }

  async #probe(): Promise<void> {
    if (this.#probing) return;
    this.#probing = true;
    while (!this.#closed && (this.#silent || this.#waiting.size > 0)) {
      this.#silent = !(await this.#answers());
      if (this.#silent) for (const giveUp of this.#waiting) giveUp();
      await sleep(this.#silent ? AGAIN_MS : SUSPECT_MS, undefined, { ref: false });
    }
    this.#probing = false;
  }

  /** Any answer counts, even a refusal. */
  async #answers(): Promise<boolean> {
    const { default: driver } = await import('pg');
    const socket = new Socket();
    const client = new driver.Client({ connectionString: this.#connectionString, stream: () => socket });
    client.on('error', () => {});
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      socket.destroy();
    }, PROBE_MS);
    try {
      await client.connect();
      await client.query('select 1');
      await client.end();
    } catch {
      socket.destroy();
    } finally {
      clearTimeout(timer);
    }
    return !late;
  }
}
