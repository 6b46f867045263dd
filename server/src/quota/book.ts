import type {
  Admission,
  BatchItem,
  BatchResult,
  BatchRunner,
  ReserveItem,
  Settled,
  SettleItem,
} from './book-statements.ts';

/** Where calls are admitted and charged. Items that arrive while a batch is being written share the next commit. */
export interface Book {
  /** Resolves once the reservation is written, so that a call is on record before anything goes upstream. */
  reserve(item: Omit<ReserveItem, 'kind'>): Promise<Admission>;
  /**
   * Resolves once the charge and the log row are written. Rejects when the database failed; the settlement is then
   * kept and tried again until it is written, so that a charge outlives an outage.
   */
  settle(item: Omit<SettleItem, 'kind'>): Promise<Settled>;
  /** Resolves when nothing is waiting to be written, and what failed before was tried a last time. */
  drained(): Promise<void>;
}

interface Waiting {
  item: BatchItem;
  resolve(result: BatchResult): void;
  reject(error: Error): void;
}

const LARGEST_BATCH = 512;
const BUSY_BATCH = 4;
const GATHER_MS = 1;
const LONGEST_PAUSE_MS = 30_000;

/** A book over a storage's batches. */
export function openBook(run: BatchRunner, firstPauseMs = 1000): Book {
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let late: SettleItem[] = [];
  let timer: NodeJS.Timeout | undefined;

  function keep(item: SettleItem): void {
    late.push(item);
    retryIn(firstPauseMs);
  }

  function retryIn(pauseMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void retry(pauseMs);
    }, pauseMs).unref();
  }

  /** Settles what could not be written before. Settling twice does nothing, so it is safe to ask again. */
  async function retry(pauseMs: number): Promise<void> {
    const items = late;
    late = [];
    for (const item of items) await run([item]).catch(() => late.push(item));
    if (late.length > 0) retryIn(Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
  }

  async function writeAll(): Promise<void> {
    // What this turn of the event loop still brings goes along; a lone call does not wait for another turn.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.splice(0, LARGEST_BATCH);
      await writeBatch(batch);
      // A commit costs as much as many rows: under load a moment's gathering saves most of them. A lone call never waits.
      if (batch.length >= BUSY_BATCH && waiting.length < LARGEST_BATCH)
        await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
    writing = undefined;
  }

  async function writeBatch(batch: Waiting[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, i) => resolve(results[i]!));
    } catch (error) {
      // One bad item must not take the others with it: each gets a transaction of its own.
      if (batch.length > 1) {
        for (const one of batch) await writeBatch([one]);
        return;
      }
      const { item, reject } = batch[0]!;
      if (item.kind === 'settle') keep(item);
      reject(error as Error);
    }
  }

  function add(item: BatchItem): Promise<BatchResult> {
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      writing ??= writeAll();
    });
  }

  return {
    reserve: (item) => add({ ...item, kind: 'reserve' }) as Promise<Admission>,
    settle: (item) => add({ ...item, kind: 'settle' }) as Promise<Settled>,
    async drained() {
      // Others may add to it while it is awaited.
      for (let last = writing; last; last = writing) await last;
      clearTimeout(timer);
      timer = undefined;
      if (late.length > 0) await retry(LONGEST_PAUSE_MS);
    },
  };
}
