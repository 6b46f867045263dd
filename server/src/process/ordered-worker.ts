import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

const LOOK_MS = 60_000;

/**
 * Long work that requests order in the database, one at a time in this process: `wake` looks for an order, as does a
 * timer, because another node may have left one.
 */
export abstract class OrderedWorker {
  /** Aborted by `stop`. */
  protected readonly signal: AbortSignal;
  readonly #log: Logger;
  readonly #name: string;
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  /** An order may have come since the last one was looked for. */
  #isAwake = false;

  /** `name`: of the work, in the log. */
  constructor({ jobs, log }: { jobs: boolean; log: Logger }, name: string) {
    this.signal = this.#stop.signal;
    this.#log = log;
    this.#name = name;
    if (jobs) this.#timer = setInterval(() => this.wake(), LOOK_MS).unref();
  }

  /** Claims an order, if there is one, and executes it in pieces until `signal` is aborted. */
  protected abstract run(): Promise<void>;

  wake(): void {
    this.#isAwake = true;
    this.#work ??= this.#runAll()
      .catch((error: unknown) => this.#log.warn({ err: error }, `${this.#name} interrupted`))
      .finally(() => (this.#work = undefined));
  }

  /** Ends after the current piece; the next start or another node takes up the rest. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#work;
  }

  /** Pauses as long as a piece took, so that half of the time is left to calls. Ends at once when stopped. */
  protected async rest(ms: number): Promise<void> {
    // Rejects only when stopped, which ends the loop of the caller.
    await pause(ms, undefined, { signal: this.signal }).catch(() => {});
  }

  /** An order that comes while the last one is ending is not left until the next look. */
  async #runAll(): Promise<void> {
    while (this.#isAwake && !this.signal.aborted) {
      this.#isAwake = false;
      await this.run();
    }
  }
}
