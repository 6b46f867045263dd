import type { ChannelLimits, TokenCap } from '@relay-hub/contract';
import * as fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunningServer } from '#server.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { ChannelLimiter } from './channel-limits.ts';
import { isFull, type LimitNeed, type LimitRoom, limitUses } from './limit-uses.ts';

const log = pino({ level: 'silent' });
const cap = (measure: TokenCap['measure'], period: TokenCap['period'], amount: number): TokenCap => ({
  measure,
  period,
  amount,
});
const limitsOf = (caps: TokenCap[], key_caps: TokenCap[] = []): ChannelLimits => ({
  caps,
  key_caps,
  time_zone: 'Asia/Shanghai',
  learn: false,
});
const at = (channelId: number, keyId = 1) => ({ channelId, keyId, model: 'm' });
const small: LimitNeed = { tokens: 1, credits: 1 };

onEveryDatabase('limits of channels over several nodes', (make) => {
  const hub = hubForSuite(make);
  let db: RunningServer['deps']['db'];
  let nowMs: number;
  let nodes: ChannelLimiter[];
  let names: string[];
  /** Each test has its channel: uses stay in the database. */
  let channel = 1000;

  beforeEach(() => {
    ({ db } = hub().server.deps);
    nowMs = Date.parse('2026-11-28T15:00:00Z');
    channel++;
    names = ['a', 'b', 'c'].map((name) => `${name}${channel}`);
    nodes = names.map((name) => new ChannelLimiter(db, name, log, () => nowMs));
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.flush()));
  });

  const roomAt = async (node: ChannelLimiter, limits: ChannelLimits, need = small, keyId = 1): Promise<LimitRoom> => {
    const given = await node.take(limits, at(channel, keyId), need);
    if (isFull(given)) throw new Error(`full: ${given.cap.measure}`);
    return given;
  };

  test('no random order of calls, ends, returns and dead nodes passes a limit at the provider', async () => {
    interface Sent {
      ms: number;
      tokens: number;
      open: boolean;
      keyId: number;
    }
    const step = fc.record({
      node: fc.nat({ max: 2 }),
      kind: fc.constantFrom('calls', 'calls', 'calls', 'end', 'return', 'wait', 'die'),
      count: fc.integer({ min: 1, max: 6 }),
      keyId: fc.integer({ min: 1, max: 2 }),
      tokens: fc.integer({ min: 1, max: 40 }),
      seconds: fc.integer({ min: 0, max: 25 }),
    });
    const caps = fc.record({
      requests: fc.integer({ min: 1, max: 12 }),
      tokens: fc.integer({ min: 40, max: 120 }),
      calls: fc.integer({ min: 1, max: 5 }),
      ofKey: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(caps, fc.array(step, { minLength: 10, maxLength: 40 }), async (most, steps) => {
        channel++;
        const limits = limitsOf(
          [
            cap('requests', 'minute', most.requests),
            cap('tokens', 'minute', most.tokens),
            cap('calls', 'at_once', most.calls),
          ],
          [cap('requests', 'minute', most.ofKey)],
        );
        const keyIds = [0, 1, 2].map((key) => channel * 10 + key);
        const sent: Sent[] = [];
        const open: { node: number; room: LimitRoom; call: Sent }[] = [];
        let deaths = 0;
        for (const { node, kind, count, keyId, tokens, seconds } of steps) {
          const limiter = nodes[node]!;
          if (kind === 'wait') nowMs += seconds * 1000;
          else if (kind === 'calls') {
            const asks = Array.from({ length: count }, (_, i) =>
              nodes[(node + i) % 3]!.take(limits, at(channel, keyIds[keyId]), { tokens, credits: 0 }),
            );
            for (const [i, given] of (await Promise.all(asks)).entries()) {
              if (isFull(given)) continue;
              const call = { ms: nowMs, tokens, open: true, keyId };
              sent.push(call);
              open.push({ node: (node + i) % 3, room: given, call });
            }
          } else if (kind === 'die') {
            // Its calls end with it; what it has sent counts until its minute is over.
            const name = `${names[node]}-${deaths++}`;
            for (const { call } of open.filter((one) => one.node === node)) call.open = false;
            for (let i = open.length - 1; i >= 0; i--) if (open[i]!.node === node) open.splice(i, 1);
            await limiter.flush();
            await db.deleteFrom('channel_calls').where('node', '=', names[node]!).execute();
            nodes[node] = new ChannelLimiter(db, name, log, () => nowMs);
            names[node] = name;
          } else {
            const ended = open.splice(0, count);
            for (const { node: of, room, call } of ended) {
              call.open = false;
              if (kind === 'end') nodes[of]!.end(room, { tokens: call.tokens, credits: 0 });
              else {
                nodes[of]!.takeBack(room);
                sent.splice(sent.indexOf(call), 1);
              }
            }
          }
          const minute = sent.filter(({ ms }) => ms > nowMs - 60_000);
          expect(minute.length).toBeLessThanOrEqual(most.requests);
          expect(minute.reduce((sum, call) => sum + call.tokens, 0)).toBeLessThanOrEqual(most.tokens);
          for (const key of [1, 2])
            expect(minute.filter((call) => call.keyId === key).length).toBeLessThanOrEqual(most.ofKey);
          expect(sent.filter((call) => call.open).length).toBeLessThanOrEqual(most.calls);
        }
      }),
      { numRuns: 12 },
    );
  });
  test('a minute slides: room comes back when the oldest request is a minute old, and the refusal says when', async () => {
    const limits = limitsOf([cap('requests', 'minute', 3)]);
    await roomAt(nodes[0]!, limits);
    nowMs += 30_000;
    await roomAt(nodes[1]!, limits);
    await roomAt(nodes[1]!, limits);
    const full = await nodes[0]!.take(limits, at(channel), small);
    expect(full).toMatchObject({ used: 3, cap: { measure: 'requests' }, until: nowMs + 32_000 });
    const place = { id: channel, keys: [{ id: 1 }], limits };
    expect(nodes[0]!.fullAt(place, 'm', new Map())).toMatchObject({ used: 3 });
    nowMs += 31_000;
    expect(isFull(await nodes[1]!.take(limits, at(channel), small))).toBe(true);
    nowMs += 1_000;
    expect(nodes[0]!.fullAt(place, 'm', new Map())).toBeUndefined();
    await roomAt(nodes[0]!, limits);
    expect(isFull(await nodes[1]!.take(limits, at(channel), small))).toBe(true);
  });

  test('estimates are corrected by what was used, up and down, also by another node', async () => {
    const limits = limitsOf([cap('tokens', 'minute', 1000), cap('credits', 'day', 500)]);
    const room = await roomAt(nodes[0]!, limits, { tokens: 900, credits: 400 });
    expect(isFull(await nodes[1]!.take(limits, at(channel), { tokens: 200, credits: 10 }))).toBe(true);
    // A smaller call fits.
    await roomAt(nodes[1]!, limits, { tokens: 100, credits: 10 });
    nodes[0]!.end(room, { tokens: 100, credits: 450.2 });
    await nodes[0]!.flush();
    await roomAt(nodes[1]!, limits, { tokens: 700, credits: 10 });
    const lack = await nodes[2]!.take(limits, at(channel), { tokens: 50, credits: 30 });
    expect(lack).toMatchObject({ cap: { measure: 'credits' }, used: 471 });
    // Shanghai's day ends at 16:00 UTC.
    expect(lack).toMatchObject({ until: Date.parse('2026-11-28T16:00:00Z') });
    nowMs = Date.parse('2026-11-28T16:00:00Z');
    await roomAt(nodes[2]!, limits, { tokens: 50, credits: 30 });
  });

  test('five hours begin with their first call, and end for all nodes', async () => {
    const limits = limitsOf([cap('credits', 'five_hours', 10)]);
    await roomAt(nodes[0]!, limits, { tokens: 0, credits: 6 });
    nowMs += 2 * 3600_000;
    await roomAt(nodes[1]!, limits, { tokens: 0, credits: 4 });
    const full = await nodes[0]!.take(limits, at(channel), { tokens: 0, credits: 1 });
    expect(full).toMatchObject({ used: 10, until: nowMs + 3 * 3600_000 });
    nowMs += 3 * 3600_000;
    await roomAt(nodes[1]!, limits, { tokens: 0, credits: 10 });
  });

  test('a call that needs more than a whole limit runs alone', async () => {
    const limits = limitsOf([cap('tokens', 'minute', 100)]);
    await roomAt(nodes[0]!, limits, { tokens: 5000, credits: 0 });
    expect(isFull(await nodes[1]!.take(limits, at(channel), small))).toBe(true);
  });

  describe('that a provider names', () => {
    const learning = (): ChannelLimits => ({ ...limitsOf([]), learn: true });
    const named = (amount: number, resetMs?: number) => [
      { cap: cap('requests', 'minute', amount), left: resetMs === undefined ? amount : 0, resetMs },
    ];
    const take = (node: ChannelLimiter) => node.take(learning(), at(channel, channel), small);

    test('are known to every node at its next call, and forgotten after a day in which none names them', async () => {
      nodes[0]!.learn(learning(), at(channel, channel), named(2));
      await nodes[0]!.flush();
      for (const node of nodes.slice(1)) expect(isFull(await take(node))).toBe(false);
      expect(isFull(await take(nodes[0]!))).toBe(true);
      // The newest amount holds, whichever node has learnt it.
      nodes[1]!.learn(learning(), at(channel, channel), named(3));
      await nodes[1]!.flush();
      expect(isFull(await take(nodes[2]!))).toBe(false);
      expect(isFull(await take(nodes[2]!))).toBe(true);
      nowMs += 25 * 3_600_000;
      for (let i = 0; i < 5; i++) expect(isFull(await take(nodes[i % 3]!))).toBe(false);
    });

    test('are full for every node until the provider resets them', async () => {
      nodes[0]!.learn(learning(), at(channel, channel), named(100, 30_000));
      await nodes[0]!.flush();
      expect(await take(nodes[1]!)).toMatchObject({ used: 100, until: nowMs + 30_000 });
      nowMs += 31_000;
      expect(isFull(await take(nodes[1]!))).toBe(false);
    });
  });

  test('a test of a channel is counted, also where there is no room', async () => {
    const limits = limitsOf([cap('requests', 'minute', 2)]);
    for (let i = 0; i < 3; i++) nodes[0]!.end(await nodes[0]!.count(limits, at(channel), small), undefined);
    expect(await nodes[1]!.take(limits, at(channel), small)).toMatchObject({ used: 3 });
  });

  test('what lists show is the use on all nodes, for the channel and each key', async () => {
    const caps = [cap('requests', 'minute', 10), cap('calls', 'at_once', 4), cap('credits', 'month', 1000)];
    const limits = limitsOf(caps);
    await roomAt(nodes[0]!, limits, { tokens: 0, credits: 30 });
    const ended = await roomAt(nodes[1]!, limits, { tokens: 0, credits: 12 });
    nodes[1]!.end(ended, undefined);
    await nodes[1]!.flush();
    const uses = await limitUses({ db, now: () => nowMs / 1000 }, [{ id: channel, limits }]);
    expect(uses.get(channel)).toMatchObject([
      { key_id: 0, measure: 'requests', used: 2, ends: 0 },
      { key_id: 0, measure: 'calls', used: 1, ends: 0 },
      { key_id: 0, measure: 'credits', used: 42, ends: Date.parse('2026-11-30T16:00:00Z') / 1000 },
    ]);
  });
});
