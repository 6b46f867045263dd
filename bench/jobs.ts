import { clockUs, StampReader } from './stamps.ts';
import { Connection } from './wire.ts';

/** Target of calls. */
export interface Address {
  port: number;
  key: string;
  /** Added to the headers of every call. */
  headers?: Record<string, string>;
}

export type Job =
  /** `connections` connections, each of which sends its next request after the previous reply. */
  | { kind: 'closed'; to: Address; body: object; connections: number; seconds: number }
  /** `perSecond` requests per second to each address in turn, without waiting for replies. */
  | { kind: 'open'; to: Address[]; body: object; perSecond: number; seconds: number }
  /** `requests` requests once, started within `spreadMs`; their replies take `seconds`. */
  | { kind: 'once'; to: Address; body: object; requests: number; spreadMs: number; seconds: number };

export interface JobResult {
  answered: number;
  failed: number;
  seconds: number;
  /** By address: milliseconds from sending a request to the first byte of the body, and to its end. */
  firstByteMs: number[][];
  wholeMs: number[][];
  /** When the last reply started, on the monotonic clock that all processes share. */
  openedUs: number;
  chunks: Chunks;
}

/** Chunks that contain the time when they were sent, in order of arrival. */
export interface Chunks {
  /** On the monotonic clock that all processes share. */
  arrivedUs: number[];
  tookUs: number[];
}

/** Time that a job may take beyond its duration before it is aborted. */
const GRACE_MS = 5_000;

export async function runJob(job: Job): Promise<JobResult> {
  const run = new Run(job.body, job.kind === 'open' ? job.to : [job.to]);
  const start = performance.now();
  if (job.kind === 'closed') run.startClosed(job.connections, job.seconds);
  else if (job.kind === 'open') run.startOpen(job.perSecond, Math.round(job.perSecond * job.seconds));
  else run.startOnce(job.requests, job.spreadMs);
  const timer = setTimeout(() => run.breakOff(), job.seconds * 1000 + GRACE_MS);
  await run.ended;
  clearTimeout(timer);
  const { answered, failed, firstByteMs, wholeMs, openedUs, chunks } = run;
  return { answered, failed, seconds: (performance.now() - start) / 1000, firstByteMs, wholeMs, openedUs, chunks };
}

class Run {
  answered = 0;
  failed = 0;
  openedUs = 0;
  readonly firstByteMs: number[][];
  readonly wholeMs: number[][];
  readonly chunks: Chunks = { arrivedUs: [], tookUs: [] };
  readonly ended: Promise<void>;

  readonly #to: Address[];
  readonly #requests: Buffer[];
  readonly #stream: boolean;
  readonly #idle: Connection[][];
  readonly #all = new Set<Connection>();
  #end!: () => void;
  #underWay = 0;
  #stopped = false;

  constructor(body: object, to: Address[]) {
    this.#to = to;
    this.#requests = to.map((address) => requestTo(address, body));
    this.#stream = 'stream' in body;
    this.firstByteMs = to.map(() => []);
    this.wholeMs = to.map(() => []);
    this.#idle = to.map(() => []);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  startClosed(connections: number, seconds: number): void {
    const until = performance.now() + seconds * 1000;
    const next = (): void => {
      if (performance.now() < until && !this.#stopped) this.#call(0, next);
      else this.#stop();
    };
    for (let i = 0; i < connections; i++) next();
  }

  startOpen(perSecond: number, count: number): void {
    const start = performance.now();
    const stepMs = 1000 / perSecond / this.#to.length;
    let sent = 0;
    const pump = (): void => {
      if (this.#stopped) return;
      while (sent < count * this.#to.length && start + sent * stepMs <= performance.now() + 0.5)
        this.#call(sent++ % this.#to.length);
      if (sent >= count * this.#to.length) this.#stop();
      else setTimeout(pump, start + sent * stepMs - performance.now());
    };
    pump();
  }

  startOnce(requests: number, spreadMs: number): void {
    let sent = 0;
    for (let i = 0; i < requests; i++) {
      setTimeout(
        () => {
          this.#call(0);
          if (++sent === requests) this.#stop();
        },
        (spreadMs * i) / requests,
      );
    }
  }

  breakOff(): void {
    this.#stopped = true;
    for (const connection of this.#all) connection.close();
  }

  #call(index: number, then?: () => void): void {
    const connection = this.#idle[index]!.pop() ?? this.#open(index);
    const start = performance.now();
    let first = 0;
    let tail: Buffer | undefined;
    const stamps = this.#stream ? new StampReader() : undefined;
    this.#underWay++;
    connection.send({
      request: this.#requests[index]!,
      onBody: (bytes) => {
        if (first === 0) {
          first = performance.now();
          this.openedUs = clockUs();
        }
        tail = bytes;
        if (stamps) this.#note(stamps.read(bytes));
      },
      onEnd: (status) => {
        this.#underWay--;
        const whole = status === 200 && tail !== undefined && (!this.#stream || tail.includes('[DONE]'));
        if (whole) {
          this.answered++;
          this.firstByteMs[index]!.push(first - start);
          this.wholeMs[index]!.push(performance.now() - start);
        } else this.failed++;
        if (connection.usable) this.#idle[index]!.push(connection);
        else this.#all.delete(connection);
        // A target that fails immediately must not be called in a tight loop.
        if (then && whole) then();
        else if (then) setTimeout(then, 10);
        this.#endIfDone();
      },
    });
  }

  #note(sentUs: readonly number[]): void {
    if (sentUs.length === 0) return;
    const nowUs = clockUs();
    for (const us of sentUs) {
      this.chunks.arrivedUs.push(nowUs);
      this.chunks.tookUs.push(nowUs - us);
    }
  }

  #open(index: number): Connection {
    const connection = new Connection(this.#to[index]!.port);
    this.#all.add(connection);
    return connection;
  }

  #stop(): void {
    this.#stopped = true;
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (!this.#stopped || this.#underWay > 0) return;
    for (const connection of this.#all) connection.close();
    this.#end();
  }
}

/** Headers of every call to an address. */
export const headersTo = ({ key, headers }: Address): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  ...headers,
});

function requestTo(address: Address, body: object): Buffer {
  const text = JSON.stringify(body);
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    `host: 127.0.0.1:${address.port}`,
    ...Object.entries(headersTo(address)).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
}
