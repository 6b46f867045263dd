import { expect, test } from 'vitest';
import { Outage } from '#db/outage.ts';
import type { Batch, BatchItem, Granted, GrantItem, SettleItem } from './batch-items.ts';
import { BatchQueue } from './batch-queue.ts';
import type { Line } from './journal.ts';

const settle = (seq: number): Line => ({
  text: '',
  item: { kind: 'settle', seq, requestId: `r${seq}` } as SettleItem,
  segment: undefined,
  from: 0,
  to: 0,
  applied: false,
});
const grant = {
  kind: 'grant',
  userId: 1,
  tokenId: 0,
  user: { need: 1, want: 0 },
  token: { need: 0, want: 0 },
} as const;

/** A queue over a database that the test plays; `run` may refuse a request. */
function queueOver(run: (items: readonly BatchItem[]) => void | 'refused' | Promise<void | 'refused'>) {
  const events = { late: 0, refused: [] as number[], done: [] as number[] };
  const queue = new BatchQueue<number>(
    async ({ items }: Batch) => {
      const isRefused = (await run(items)) === 'refused';
      const granted: Granted = isRefused ? { refused: 'user_quota', leased: 0 } : { user: 1, token: 0, left: 9 };
      const grants = items.filter(({ kind }) => kind === 'grant').map(() => granted);
      return { grants, leases: [], limits: [] };
    },
    'node',
    {
      ready: () => {},
      applied: () => {},
      settled: (seq) => events.done.push(seq),
      late: () => events.late++,
      refused: (_, item) => events.refused.push(item!.seq),
    },
  );
  const put = (seq: number, userId = 1) => queue.settle(settle(seq), seq, userId);
  const ask = (item: GrantItem = grant) =>
    new Promise<Granted>((resolve, reject) => queue.grant(item, resolve, reject));
  return { queue, events, put, ask };
}

/** A promise, and the function that resolves it. */
function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

test('settlements are gathered, and a request does not wait for them', async () => {
  const batches: string[][] = [];
  const { put, ask, events } = queueOver((items) => void batches.push(items.map(({ kind }) => kind)));
  put(1);
  put(2);
  await ask();
  expect(batches).toEqual([['grant']]);
  put(3);
  await expect.poll(() => events.done, { message: 'batches done' }).toEqual([1, 2, 3]);
  expect(batches).toEqual([['grant'], ['settle', 'settle', 'settle']]);
});

test('while settlements are written, requests of other users are answered and those of their users wait', async () => {
  const { open, opened } = gate();
  const order: string[] = [];
  const { put, ask, queue } = queueOver(async (items) => {
    if (items[0]?.kind === 'settle') await opened;
    order.push(items.map((item) => `${item.kind} ${'userId' in item ? item.userId : ''}`.trim()).join());
  });
  put(1, 1);
  const flushed = queue.flush();
  const mine = ask();
  await ask({ ...grant, userId: 2 });
  expect(order).toEqual(['grant 2']);
  open();
  await Promise.all([flushed, mine]);
  expect(order).toEqual(['grant 2', 'settle', 'grant 1']);
});

test('settlements wait for a request of one of their users', async () => {
  const { open, opened } = gate();
  const order: string[] = [];
  const { put, ask, queue } = queueOver(async (items) => {
    if (items[0]?.kind === 'grant') await opened;
    order.push(items.map(({ kind }) => kind).join());
  });
  const asked = ask();
  await new Promise(setImmediate);
  put(1, 1);
  const flushed = queue.flush();
  await new Promise(setImmediate);
  expect(order).toEqual([]);
  open();
  await Promise.all([asked, flushed]);
  expect(order).toEqual(['grant', 'settle']);
});

test('a request is refused only after the settlements of its user, which may return what it needs', async () => {
  let isPaidBack = false;
  let asked = 0;
  const { put, ask } = queueOver((items) => {
    if (items[0]?.kind === 'settle') isPaidBack = true;
    else asked++;
    return isPaidBack ? undefined : 'refused';
  });
  await expect(ask()).resolves.toHaveProperty('refused');
  expect(asked).toBe(1);
  put(1);
  await expect(ask({ ...grant, userId: 2 })).resolves.toHaveProperty('refused');
  await expect(ask()).resolves.toEqual({ user: 1, token: 0, left: 9 });
  expect(asked).toBe(4);
});

test('when settlements cannot be written, a refusal does not wait for them', async () => {
  const { put, ask, events } = queueOver((items) => {
    if (items.some(({ kind }) => kind === 'settle')) throw new Outage(new Error('silent'));
    return 'refused';
  });
  put(1);
  await expect(ask()).resolves.toHaveProperty('refused');
  expect(events.late).toBe(1);
});

test('while a batch is written the next one gathers, up to 512, in order', async () => {
  const sizes: number[] = [];
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const { put, queue, events } = queueOver(async (items) => {
    sizes.push(items.length);
    if (sizes.length === 1) await opened;
  });
  put(1);
  const flushed = queue.flush();
  while (sizes.length === 0) await new Promise(setImmediate);
  for (let seq = 2; seq <= 1001; seq++) put(seq);
  open();
  await flushed;
  // No caller waits for the rest yet.
  expect(sizes).toEqual([1, 512]);
  await queue.flush();
  expect(sizes).toEqual([1, 512, 488]);
  expect(events.done).toEqual(Array.from({ length: 1001 }, (_, i) => i + 1));
});

test('while the database is away, settlements wait in order and requests fail', async () => {
  let down = true;
  const written: number[] = [];
  const { put, ask, queue, events } = queueOver((items) => {
    if (down) throw new Error('the database is away');
    for (const item of items) if (item.kind === 'settle') written.push(item.seq);
  });
  put(1);
  put(2);
  await expect(ask()).rejects.toThrow('away');
  await queue.flush();
  put(3);
  expect(written).toEqual([]);
  expect(events.late).toBeGreaterThan(0);
  expect(queue.length).toBe(3);
  down = false;
  await expect.poll(() => written, { message: 'batches written' }).toEqual([1, 2, 3]);
  await ask();
  expect(events.refused).toEqual([]);
});

test('a settlement that alone cannot be written is set aside, and the others go on', async () => {
  const written: number[] = [];
  const { put, queue, events } = queueOver((items) => {
    if (items.some((item) => item.kind === 'settle' && item.seq === 2)) throw new Error('no such column');
    for (const item of items) if (item.kind === 'settle') written.push(item.seq);
  });
  for (const seq of [1, 2, 3]) put(seq);
  await queue.flush();
  await expect.poll(() => written, { timeout: 15_000, message: 'batches written' }).toEqual([1, 3]);
  expect(events.refused).toEqual([2]);
  expect(events.done).toEqual([1, 2, 3]);
  expect(queue.length).toBe(0);
}, 20_000);

test('a request that the database refuses fails alone', async () => {
  const { ask } = queueOver((items) => {
    if (items.some((item) => item.kind === 'grant' && item.userId === 13)) throw new Error('no such column');
  });
  const outcomes = await Promise.allSettled([ask(), ask({ ...grant, userId: 13 }), ask()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('while the database is silent, all waiting requests fail at once, also those that arrive meanwhile', async () => {
  let asked = 0;
  const { put, ask, queue, events } = queueOver(async () => {
    asked++;
    await new Promise(setImmediate);
    throw new Outage(new Error('silent'));
  });
  put(1);
  const first = Array.from({ length: 20 }, () => ask());
  await new Promise(setImmediate);
  const later = Array.from({ length: 20 }, () => ask());
  const outcomes = await Promise.allSettled([...first, ...later]);
  expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 'rejected'));
  // Not one after the other: each would wait as often as the database is asked before.
  expect(asked).toBeLessThanOrEqual(3);
  expect(queue.length).toBe(1);
  expect(events.refused).toEqual([]);
});
