import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import type * as OpenModule from '../server/src/db/open.ts';
import type * as StatementsModule from '../server/src/quota/book-statements.ts';
import type * as BookModule from '../server/src/quota/book.ts';
import type * as SumsModule from '../server/src/quota/pending-sums.ts';
import type * as RecallModule from '../server/src/quota/recall.ts';

/*
 * One node of the accounting core: leases, journal and batches without HTTP. Says `ready`, works when it gets a message,
 * and answers with what it has measured.
 */

/** Its argument, as JSON. `root`: the checkout to measure. */
export interface NodeWork {
  root: string;
  dataDir: string;
  databaseUrl: string | undefined;
  node: string;
  users: number;
  /** Names of the limits of each key. */
  limits: readonly string[];
  /** Calls per second, and for how long. */
  rate: number;
  seconds: number;
  /** Calls made as fast as possible afterwards. */
  burst: number;
}

export interface NodeResult {
  /** Milliseconds until each call was admitted. */
  admitMs: number[];
  calls: number;
  failed: number;
  /** Seconds until the burst was in the database. */
  burstS: number;
}

const MODELS = 30;
const CHANNELS = 20;
const PRICE = 100;
const AT_ONCE = 64;
const LIMIT = 100_000_000;
const PERIOD_S = 86_400;
const LOOK_AT_SUMS_MS = 5_000;

const work = JSON.parse(process.argv[2] ?? '') as NodeWork; // written by scale.ts
type Core = typeof OpenModule &
  typeof BookModule &
  typeof RecallModule &
  Pick<typeof SumsModule, 'PendingSums'> &
  Pick<typeof StatementsModule, 'script'>;
const load = (file: string) => import(pathToFileURL(path.join(work.root, 'server/src', file)).href) as Promise<Core>;
const { openStorage } = await load('db/open.ts');
const { Book, isHold } = await load('quota/book.ts');
const { openRecall } = await load('quota/recall.ts');
const { script } = await load('quota/book-statements.ts');
// A checkout from before them has none.
const { PendingSums } = await load('quota/pending-sums.ts').catch((): Partial<Core> => ({}));

const storage = openStorage({ databaseUrl: work.databaseUrl, dataDir: work.dataDir });
const book = new Book({
  run: storage.prepare(script),
  recall: openRecall(storage.db, work.node),
  folder: path.join(work.dataDir, 'journal'),
  node: work.node,
  log: { error: (about: unknown) => process.stderr.write(`${JSON.stringify(about)}\n`) },
});
const sums = PendingSums && new PendingSums(storage, console);
setInterval(() => void sums?.addOld(), LOOK_AT_SUMS_MS).unref();
const result: NodeResult = { admitMs: [], calls: 0, failed: 0, burstS: 0 };
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let seed = work.node.length + work.node.charCodeAt(work.node.length - 1);
/** Between 0 and 1, the same in every run. */
function chance(): number {
  seed = (seed * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff;
  return seed / 0x7f_ff_ff_ff;
}

const startedAt = Math.floor(Date.now() / 1000);
const starts = startedAt - (startedAt % PERIOD_S);
const amount = (name: string, user: number) => ({
  scope: `t${user}`,
  name,
  limit: LIMIT,
  need: name.startsWith('credits:') ? PRICE * 2 : 1,
  starts,
  ends: starts + 2 * PERIOD_S,
});

let made = 0;
async function call(openMs: number): Promise<void> {
  const user = 1 + Math.floor(chance() * work.users);
  const requestId = `${work.node}-${++made}`;
  const model = `model-${made % MODELS}`;
  const startMs = performance.now();
  try {
    const hold = await book.reserve({
      requestId,
      userId: user,
      tokenId: user,
      limited: false,
      reserved: PRICE * 2,
      priceVersion: 1,
      model,
      ...(work.limits.length > 0 && {
        limits: { now: startedAt, amounts: work.limits.map((name) => amount(name, user)) },
      }),
    });
    result.admitMs.push(performance.now() - startMs);
    if (!isHold(hold)) throw new Error(JSON.stringify(hold));
    if (openMs > 0) await sleep(openMs);
    result.calls++;
    await book.settle(hold, settlement(requestId, user, model));
  } catch (error) {
    if (result.failed++ === 0) process.stderr.write(`${String(error)}\n`);
  }
}

const settlement = (requestId: string, user: number, model: string) => ({
  requestId,
  channelId: 1 + (made % CHANNELS),
  credits: PRICE,
  now: Math.floor(Date.now() / 1000),
  failed: false,
  channelError: '',
  log: {
    content: '',
    username: `user-${user}`,
    tokenName: `token-${user}`,
    model,
    promptTokens: 100,
    completionTokens: 200,
    cachedTokens: 0,
    requestTimeMs: 800 + (made % 700),
    isStream: true,
    sourceIp: '192.0.2.1',
    metadata: JSON.stringify({ outcome: 'answered', price_version: 1, first_response: 200 + (made % 90) }),
  },
});

async function paced(): Promise<void> {
  const open = new Set<Promise<void>>();
  const startMs = performance.now();
  let dueMs = 0;
  while (dueMs < work.seconds * 1000) {
    dueMs += (-Math.log(1 - chance() * 0.999_999) * 1000) / work.rate;
    const waitMs = startMs + dueMs - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    const running = call(100);
    open.add(running);
    void running.then(() => open.delete(running));
  }
  await Promise.all(open);
}

async function burst(): Promise<void> {
  await written();
  const startMs = performance.now();
  const end = made + work.burst;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (made < end) await call(0);
    }),
  );
  await written();
  result.burstS = (performance.now() - startMs) / 1000;
}

async function written(): Promise<void> {
  while (book.waiting > 0) await book.caughtUp();
}

process.on('message', (phase: 'paced' | 'burst' | 'end') => {
  void (async () => {
    if (phase === 'end') {
      await book.close();
      await storage.close();
      process.exit(0);
    }
    await (phase === 'paced' ? paced().then(written) : burst());
    process.send?.(result);
    // The burst fills the queue, so its latencies say nothing.
    Object.assign(result, { admitMs: [], calls: 0, failed: 0 });
  })();
});
process.stdout.write('ready\n');
