import type { ChildProcess } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import type { Config } from './config.ts';
import { type LimiterQuestion, memoryLimiter } from '#http/limits/rate-limit.ts';
import type { MetricsList } from './metrics/registry.ts';
import { Link } from '#process/siblings.ts';
import type { RunningServer } from './server.ts';

/** Pause before a worker is replaced that ended before it was ready; each further one doubles it. */
const PAUSE_MS = { first: 500, most: 30_000 };
/** A worker that does not answer in time, such as a frozen one, is left out. */
const ANSWER_MS = 2_000;

interface RunningWorker {
  link: Link;
  isReady: boolean;
  /** Whether it listens, or may still begin to. */
  listens: boolean;
  /** Its metrics of the last scrape: without them, sums would fall when it ends. */
  metrics: MetricsList | undefined;
}

/**
 * Runs the server in several processes that share the port. Each is a node with its own journal and leases; this process
 * hands connections to them, counts calls per minute for all, passes on what they share, and replaces one that ends.
 * Resolves when all have started. Ends the process if the first one cannot start, which has printed the reason.
 */
export async function startWorkers(
  config: Config,
  env: Record<string, string>,
): Promise<Pick<RunningServer, 'port' | 'drain' | 'close'>> {
  const log = pino({ level: config.logLevel });
  const limiter = memoryLimiter();
  const workers = new Map<Worker, RunningWorker>();
  let isStarted = false;
  let stopping: { listenMs: number; onClosed: (() => void) | undefined } | undefined;
  let port = config.port;
  let gone: MetricsList | undefined;
  let pauseMs = PAUSE_MS.first;

  cluster.setupPrimary({
    exec: fileURLToPath(new URL(import.meta.url.replace(/primary(\.\w+)$/, 'main$1'))),
    args: [],
  });

  /** Resolves when the worker is ready, or has ended. */
  function start(): Promise<void> {
    // All have to ask for the same port, also for any free one: that is how they come to share it.
    const child = cluster.fork(env);
    const link = new Link(child);
    const closeHanded = rememberHanded(child.process);
    const worker: RunningWorker = { link, isReady: false, listens: true, metrics: undefined };
    workers.set(child, worker);
    child.on('error', (error) => log.error({ err: error }, 'a worker process cannot be reached'));
    link.on('shared', (shared) => {
      for (const other of workers.values()) if (other !== worker) other.link.tell('shared', shared);
    });
    link.on('limiter', ([method, ...args]: LimiterQuestion) =>
      (limiter[method] as (...values: unknown[]) => unknown)(...args),
    );
    link.on('metrics', (own: MetricsList) => {
      worker.metrics = own;
      return metricsOfOthers(worker);
    });
    link.on('closed', () => {
      worker.listens = false;
      noteClosed();
    });
    return new Promise((resolve) => {
      link.on('ready', (listensAt: number) => {
        port = listensAt;
        worker.isReady = true;
        pauseMs = PAUSE_MS.first;
        if (stopping) link.tell('stop', stopping.listenMs);
        resolve();
      });
      child.once('exit', (code, signal) => {
        workers.delete(child);
        closeHanded();
        link.end();
        resolve();
        void ended(worker, { pid: child.process.pid, code, signal });
      });
    });
  }

  async function ended({ isReady, metrics }: RunningWorker, how: object): Promise<void> {
    noteClosed();
    if (stopping || !isStarted) return;
    log.error(how, 'a worker process has ended and is replaced; its open calls are settled by the others');
    if (metrics) gone = await keepCounts(gone, metrics);
    if (!isReady) {
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most);
    }
    if (!stopping) void start();
  }

  function noteClosed(): void {
    if (!stopping || [...workers.values()].some(({ listens }) => listens)) return;
    stopping.onClosed?.();
    stopping.onClosed = undefined;
  }

  async function metricsOfOthers(asking: RunningWorker): Promise<MetricsList[]> {
    const others = [...workers.values()].filter((worker) => worker !== asking && worker.isReady);
    const answers = others.map(async (worker) => {
      const answer = worker.link.ask('metrics').catch(() => undefined);
      const list = (await Promise.race([answer, sleep(ANSWER_MS, undefined, { ref: false })])) as
        | MetricsList
        | undefined;
      if (list) worker.metrics = list;
      return worker.metrics;
    });
    return [gone, ...(await Promise.all(answers))].filter((list) => list !== undefined);
  }

  // The first one migrates and fills the database; it prints the reason if it cannot.
  await start();
  if (workers.size === 0) process.exit(1);
  isStarted = true;
  await Promise.all(Array.from({ length: config.workers - 1 }, start));
  return {
    port,
    async drain({ listenMs, onClosed }) {
      stopping = { listenMs, onClosed };
      const all = [...workers];
      // A worker that is starting gets the message when it is ready.
      for (const [, { link, isReady }] of all) if (isReady) link.tell('stop', listenMs);
      await Promise.all(all.map(([worker]) => new Promise((resolve) => worker.once('exit', resolve))));
    },
    async close() {
      for (const worker of workers.keys()) worker.kill('SIGKILL');
    },
  };
}

interface Closable {
  close(): void;
}
type Send = (message: object, handleOrSent?: unknown, ...more: unknown[]) => boolean;

/**
 * Node forgets the connection that it is handing to a worker at the moment in which that one dies, and its client would
 * wait for ever. Returns a function that closes it: the worker may have read from it.
 */
function rememberHanded(child: ChildProcess): () => void {
  let handed: Closable | undefined;
  const send = child.send.bind(child) as Send;
  const remembering: Send = (message, handleOrSent, ...more) => {
    if (typeof handleOrSent === 'object' && handleOrSent !== null) handed = handleOrSent as Closable; // all handles are
    return send(message, handleOrSent, ...more);
  };
  child.send = remembering;
  return () => handed?.close();
}

/** Adds the counts of an ended worker to those of earlier ones. */
async function keepCounts(gone: MetricsList | undefined, metrics: MetricsList): Promise<MetricsList> {
  const { countsOf, sumOf } = await import('./metrics/registry.ts');
  return sumOf([...(gone ? [gone] : []), countsOf(metrics)]).getMetricsAsJSON();
}
