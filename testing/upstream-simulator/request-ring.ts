import type { IncomingHttpHeaders } from 'node:http';

/** `cut`: the simulator dropped the connection. `client_closed`: the caller disconnected before the end. */
type RequestOutcome = 'open' | 'answered' | 'cut' | 'client_closed';

/** A completely received request and its result. */
export class ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  /** Milliseconds since 1970. */
  readonly at = Date.now();
  outcome: RequestOutcome = 'open';
  /** The reply's status; 0 before. */
  status = 0;

  constructor(method: string, path: string, headers: IncomingHttpHeaders, raw: Buffer) {
    this.method = method;
    this.path = path;
    this.headers = headers;
    this.raw = raw;
  }

  get body(): string {
    return this.raw.toString();
  }

  get clientClosed(): boolean {
    return this.outcome === 'client_closed';
  }
}

interface Waiter {
  matches: (request: ReceivedRequest) => boolean;
  found: (request: ReceivedRequest) => void;
}

const maxBytes = 64 * 1024 * 1024;

/** The latest requests, oldest first, up to `limit` and 64 MiB of bodies. */
export class RequestRing implements Iterable<ReceivedRequest> {
  /** Number of requests ever received. */
  total = 0;
  readonly #limit: number;
  readonly #waiters = new Set<Waiter>();
  #kept: ReceivedRequest[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#kept.length;
  }

  at(index: number): ReceivedRequest | undefined {
    return this.#kept.at(index);
  }

  [Symbol.iterator](): Iterator<ReceivedRequest> {
    return [...this.#kept][Symbol.iterator]();
  }

  clear(): void {
    this.#kept = [];
    this.#bytes = 0;
    this.total = 0;
  }

  add(request: ReceivedRequest): void {
    this.total++;
    this.#kept.push(request);
    this.#bytes += request.raw.length;
    while (this.#kept.length > this.#limit || (this.#bytes > maxBytes && this.#kept.length > 1)) {
      this.#bytes -= this.#kept.shift()?.raw.length ?? 0;
    }
    this.changed(request);
  }

  /** Notifies waiters that a request arrived or ended. */
  changed(request: ReceivedRequest): void {
    for (const waiter of this.#waiters) if (waiter.matches(request)) waiter.found(request);
  }

  /** The first stored or future request that matches, now or once it has ended. */
  waitFor(matches: (request: ReceivedRequest) => boolean, timeoutMs = 20_000): Promise<ReceivedRequest> {
    const there = this.#kept.find(matches);
    if (there) return Promise.resolve(there);
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        matches,
        found: (request) => {
          done();
          resolve(request);
        },
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(`no such request within ${timeoutMs} ms; ${this.total} arrived`));
      }, timeoutMs);
      this.#waiters.add(waiter);
    });
  }
}
