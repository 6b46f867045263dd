import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CallEnd, FallbackWorld, randomFrom, type Reaction, type WorldChannel } from '#testing/fallback-world.ts';

const WORLDS = 100;
const CALLS = 220;
const seeds = Array.from({ length: WORLDS }, (_, i) => i + 1);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_800_000_000_000 });
  const began = Date.now();
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() - began);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type React = WorldChannel['react'];

const well =
  (random: () => number): React =>
  () => ({ kind: 'answer', ms: 20 + random() * 400 });
const refusing: React = () => ({ kind: 'unreachable', code: 'ECONNREFUSED', ms: 1 });
const swallowing: React = () => ({ kind: 'unreachable', code: 'UND_ERR_CONNECT_TIMEOUT', ms: 5_000 });
const unknownName: React = () => ({ kind: 'unreachable', code: 'ENOTFOUND', ms: 30 });

/** Faults that come and go. */
function troubled(random: () => number): React {
  const kinds: React[] = [
    () => ({ kind: 'status', status: 500 + Math.floor(random() * 4), ms: 30 }),
    () => ({ kind: 'status', status: 429, ms: 10, headers: { 'retry-after': '7' } }),
    () => ({ kind: 'status', status: 401, ms: 10 }),
    () => ({ kind: 'silence' }),
    refusing,
    swallowing,
  ];
  const fault = kinds[Math.floor(random() * kinds.length)]!;
  const flaps = random() < 0.4;
  const [up, down] = [3_000 + random() * 30_000, 3_000 + random() * 30_000];
  const answers = well(random);
  return (now, ...more) => (flaps && now % (up + down) < up ? answers : fault)(now, ...more);
}

interface Drawn {
  world: FallbackWorld;
  healthy: Set<number>;
  callers: number;
  gapMs: number;
}

/** Channels of several priorities at several hosts; at least one is always healthy. */
function drawn(seed: number, faulty: (random: () => number) => React): Drawn {
  const random = randomFrom(seed);
  vi.spyOn(Math, 'random').mockImplementation(random);
  const pick = <T>(...of: T[]): T => of[Math.floor(random() * of.length)]!;
  const count = pick(2, 3, 5, 8, 12);
  const wellOnes = Math.max(1, Math.floor(random() * count * 0.6));
  const shared = random() < 0.5;
  // Channels at one host fail together.
  const ofHost = faulty(random);
  const channels = Array.from({ length: count }, (_, i): WorldChannel => {
    const isWell = i < wellOnes;
    return {
      id: i + 1,
      priority: isWell ? pick(0, 10, 30) : pick(10, 30, 30),
      host: isWell ? `well-${i}` : shared ? 'one-host' : `host-${i}`,
      firstTokenMs: 3_000,
      react: isWell ? well(random) : shared ? ofHost : faulty(random),
    };
  });
  return {
    world: new FallbackWorld(channels),
    healthy: new Set(channels.slice(0, wellOnes).map(({ id }) => id)),
    callers: pick(1, 2, 5, 60),
    gapMs: pick(50, 400, 2_000, 6_000),
  };
}

async function played({ world, callers, gapMs }: Drawn, seed: number): Promise<readonly CallEnd[]> {
  const random = randomFrom(seed * 7919);
  for (let i = 0; i < CALLS; i++) {
    world.begin(1 + Math.floor(random() * callers));
    await world.advance(Math.ceil(random() * 2 * gapMs));
  }
  return world.ended();
}

const told = (ends: readonly CallEnd[]) =>
  ends.map(({ status, attempts }) => [status, ...attempts.map(({ channel_id, cause }) => `${channel_id} ${cause}`)]);

describe('with faults before anything was sent', () => {
  test.each(seeds)('every call succeeds in world %i', async (seed) => {
    const world = drawn(seed, (random) => [refusing, swallowing, unknownName][Math.floor(random() * 3)]!);
    const ends = await played(world, seed);
    expect(told(ends.filter(({ status }) => status !== 200))).toEqual([]);
  });
});

describe('with channels that fail, flap, stall and limit', () => {
  test.each(seeds)('calls arrive at a healthy one in world %i', async (seed) => {
    const world = drawn(seed, troubled);
    const ends = await played(world, seed);
    const later = ends.slice(20);
    const failed = later.filter(({ status }) => status !== 200);
    expect(failed.length / later.length, JSON.stringify(told(failed))).toBeLessThanOrEqual(0.01);
    // Failed calls had tried a healthy channel, or run out of retry time.
    for (const { attempts } of failed) {
      const hasTried = attempts.some(({ channel_id }) => world.healthy.has(channel_id));
      expect(hasTried || attempts.at(-1)?.next === 'out_of_time', JSON.stringify(attempts)).toBe(true);
    }
  });
});

test('an outage of all channels fails fast for every caller, and its end is noticed within seconds', async () => {
  for (const callers of [1, 3, 50]) {
    let isDown = true;
    const react = (): Reaction => (isDown ? { kind: 'silence' } : { kind: 'answer', ms: 50 });
    const channels = [1, 2, 3].map((id) => ({ id, priority: id, host: `h${id}`, firstTokenMs: 3_000, react }));
    const world = new FallbackWorld(channels);
    for (let i = 0; i < 300; i++) {
      world.begin(1 + (i % callers));
      await world.advance(200);
    }
    const down = await world.ended();
    const late = down.slice(-100);
    // Some calls wait because they are the probe.
    expect(late.filter(({ ms }) => ms > 100).length, String(callers)).toBeLessThan(40);
    isDown = false;
    await world.advance(6_000);
    for (let i = 0; i < 20; i++) {
      world.begin(1 + (i % callers));
      await world.advance(500);
    }
    expect((await world.ended()).slice(-15).map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 200));
  }
});

test('a server that is out of file descriptors holds that against no channel', async () => {
  let isOut = true;
  const react = (): Reaction => (isOut ? { kind: 'unreachable', code: 'EMFILE', ms: 0 } : { kind: 'answer', ms: 10 });
  const world = new FallbackWorld([1, 2].map((id) => ({ id, priority: 0, host: `h${id}`, react })));
  for (let i = 0; i < 20; i++) world.begin(1);
  const ends = await world.ended();
  // Another channel would need a descriptor too.
  for (const { attempts } of ends) expect(attempts.map(({ cause }) => cause)).toEqual(['ours']);
  expect(world.deps.live.health.untroubled && world.deps.live.hosts.untroubled).toBe(true);
  isOut = false;
  world.begin(1);
  expect((await world.ended()).at(-1)).toMatchObject({ status: 200, attempts: [{ result: 'ok' }] });
});

describe('by latency', () => {
  const PREFERRED = { ChannelPreference: 'latency' };
  /** Shares of three channels in the latest calls. */
  const sharesIn = (ends: readonly CallEnd[]): number[] =>
    [1, 2, 3].map(
      (id) => ends.filter(({ attempts }) => attempts.at(-1)?.channel_id === id).length / Math.max(1, ends.length),
    );

  /** Runs calls one after the other; their ends. */
  async function call(worlds: readonly FallbackWorld[], count: number, gapMs: number): Promise<CallEnd[]> {
    const before = await Promise.all(worlds.map((world) => world.ended()));
    for (let i = 0; i < count; i++) {
      worlds[i % worlds.length]!.begin(1 + (i % 20)); // at least one
      await worlds[0]!.advance(gapMs);
    }
    const ends: CallEnd[] = [];
    for (const [at, world] of worlds.entries()) ends.push(...(await world.ended()).slice(before[at]!.length));
    return ends;
  }

  test.each([1, 2, 3, 4])('a channel that becomes slow loses its share, and regains it (seed %i)', async (seed) => {
    const random = randomFrom(seed);
    vi.spyOn(Math, 'random').mockImplementation(random);
    let slowest = 0;
    const world = new FallbackWorld(
      [1, 2, 3].map((id) => ({
        id,
        priority: 0,
        host: `h${id}`,
        react: () => ({ kind: 'answer', ms: (id === slowest ? 2_000 : 150) * (0.7 + random() * 0.6) }),
      })),
      PREFERRED,
    );
    for (const share of sharesIn(await call([world], 300, 300))) expect(share).toBeGreaterThan(0.15);
    slowest = 3;
    await call([world], 60, 300);
    expect(sharesIn(await call([world], 300, 300))[2]).toBeLessThan(0.08);
    slowest = 0;
    await call([world], 600, 300);
    expect(sharesIn(await call([world], 300, 300))[2]).toBeGreaterThan(0.15);
  });

  test.each([1, 2, 3])(
    'four nodes never send most calls to one channel that is slow under load (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      vi.spyOn(Math, 'random').mockImplementation(random);
      const busy: number[][] = [[], [], []];
      // Each call in progress at the provider slows the next one.
      const react =
        (id: number) =>
        (now: number): Reaction => {
          const open = busy[id - 1]!.filter((until) => until > now);
          const ms = Math.round((100 + 60 * open.length) * (0.8 + random() * 0.4));
          busy[id - 1] = [...open, now + ms];
          return { kind: 'answer', ms };
        };
      const channels = [1, 2, 3].map((id) => ({ id, priority: 0, host: `h${id}`, react: react(id) }));
      const nodes = [1, 2, 3, 4].map(() => new FallbackWorld(channels, PREFERRED));
      for (let round = 0; round < 6; round++)
        for (const share of sharesIn(await call(nodes, 200, 30))) {
          expect(share).toBeGreaterThan(0.07);
          expect(share).toBeLessThan(0.6);
        }
    },
  );
});
