import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a question may stay unanswered before a probe finds out whether the server answers anything. */
export const SUSPECT_MS = 5_000;
const PROBE_MS = 3_000;
const AGAIN_MS = 500;

/**
 * Tells a silent PostgreSQL from a slow statement: when a question stays unanswered, a probe asks on a connection of its
 * own. While that stays unanswered as well, all who wait are refused at once instead of one time limit after another.
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

  /** Whether the server has stopped answering. A probe finds out within half a second when it answers again. */
  get silent(): boolean {
    return this.#silent;
  }

  /** Reports an unanswered question. `giveUp` is called if the server turns out to be silent; returns how to take it back. */
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

  /** Any answer will do, a refusal too: only silence is what others would wait for in vain. */
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
