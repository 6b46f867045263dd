import { describe, expect, test } from 'vitest';
import type { Provider } from '#providers/provider.ts';
import type { LiveChannel } from './routing-table.ts';
import { noTimeouts, RoutingTable, sharesBy } from './routing-table.ts';

const provider: Provider = {
  id: 'x',
  type: 8,
  title: 'X',
  baseUrl: '',
  testModel: '',
  website: '',
  headers: () => ({}),
};

let made = 0;
const channel = (more: Partial<LiveChannel>): LiveChannel => ({
  id: ++made,
  name: `channel ${made}`,
  provider,
  baseUrl: 'http://127.0.0.1',
  key: 'sk-test',
  headers: {},
  models: ['gpt-4o'],
  groups: ['default'],
  mapping: new Map(),
  priority: 0,
  weight: 1,
  onlyChat: false,
  passesRoutingFields: false,
  keys: [{ id: made, key: 'sk-test', headers: {}, proxy: '' }],
  tag: '',
  other: '',
  plugin: {},
  proxy: '',
  preCost: 1,
  excluded: new Set(),
  disabledStream: [],
  timeouts: noTimeouts,
  onGone: { policy: 'drain' },
  unpriced: { tiers: undefined, tools: undefined },
  defaultTier: undefined,
  costRatio: undefined,
  staysBy: 'key',
  repliesCached: true,
  publicName: '',
  region: '',
  dataPolicy: '',
  quantization: '',
  cacheLifeMs: 60_000,
  ...more,
});

const any = () => true;

/** How often each channel is drawn. */
function draws(
  table: RoutingTable,
  times: number,
  usable: (channel: LiveChannel) => boolean = any,
): Map<number | undefined, number> {
  const counted = new Map<number | undefined, number>();
  for (let i = 0; i < times; i++) {
    const id = table.pick('default', 'gpt-4o', usable)?.id;
    counted.set(id, (counted.get(id) ?? 0) + 1);
  }
  return counted;
}

test('the highest priority is drawn, always', () => {
  const [low, high, middle] = [
    channel({ priority: 1, weight: 1000 }),
    channel({ priority: 10 }),
    channel({ priority: 5 }),
  ];
  expect(draws(new RoutingTable([low, high, middle]), 500)).toEqual(new Map([[high.id, 500]]));
});

test('a lower priority serves when no higher one is usable', () => {
  const [low, high] = [channel({ priority: 1 }), channel({ priority: 10 })];
  const table = new RoutingTable([low, high]);
  expect(table.pick('default', 'gpt-4o', ({ id }) => id !== high.id)).toBe(low);
  expect(table.pick('default', 'gpt-4o', () => false)).toBeUndefined();
});

test('among equals, weights are shares', () => {
  const [one, three, six] = [channel({ weight: 1 }), channel({ weight: 3 }), channel({ weight: 6 })];
  const counted = draws(new RoutingTable([one, three, six]), 20_000);
  // Six standard deviations of a binomial draw.
  for (const { id, weight } of [one, three, six]) {
    const share = weight / 10;
    const deviation = Math.sqrt(20_000 * share * (1 - share));
    expect(Math.abs((counted.get(id) ?? 0) - 20_000 * share)).toBeLessThan(6 * deviation);
  }
});

test('an unusable channel leaves its share to the others', () => {
  const [one, three, six] = [channel({ weight: 1 }), channel({ weight: 3 }), channel({ weight: 6 })];
  const counted = draws(new RoutingTable([one, three, six]), 8000, ({ id }) => id !== six.id);
  expect(counted.has(six.id)).toBe(false);
  expect(Math.abs((counted.get(one.id) ?? 0) - 2000)).toBeLessThan(6 * Math.sqrt(8000 * 0.25 * 0.75));
});

test('an exact name goes before wildcards, a longer wildcard before a shorter one', () => {
  const exact = channel({ models: ['gpt-4o'] });
  const longer = channel({ models: ['gpt-4*'], priority: 5 });
  const shorter = channel({ models: ['gpt-*'], priority: 9 });
  const table = new RoutingTable([shorter, longer, exact]);
  expect(table.pick('default', 'gpt-4o', any)).toBe(exact);
  expect(table.pick('default', 'gpt-4-turbo', any)).toBe(longer);
  expect(table.pick('default', 'gpt-3.5', any)).toBe(shorter);
  expect(table.pick('default', 'gpt', any)).toBeUndefined();
  expect(table.serves('default', 'gpt-4.1')).toBe(true);
  expect(table.serves('default', 'claude')).toBe(false);
});

test('names are exact: case, and characters that mean something in patterns', () => {
  const table = new RoutingTable([channel({ models: ['a.b', 'x+*'] })]);
  expect(table.serves('default', 'a.b')).toBe(true);
  expect(table.serves('default', 'axb')).toBe(false);
  expect(table.serves('default', 'A.B')).toBe(false);
  expect(table.serves('default', 'x+1')).toBe(true);
  expect(table.serves('default', 'constructor')).toBe(false);
  expect(table.serves('__proto__', 'a.b')).toBe(false);
});

test('a group reaches its own channels only', () => {
  const ours = channel({ groups: ['default', 'vip'] });
  const theirs = channel({ groups: ['vip'], models: ['gpt-4o', 'o3'], priority: 10 });
  const table = new RoutingTable([ours, theirs]);
  expect(table.pick('default', 'gpt-4o', any)).toBe(ours);
  expect(table.pick('vip', 'gpt-4o', any)).toBe(theirs);
  expect(table.pick('svip', 'gpt-4o', any)).toBeUndefined();
  expect(table.serves('default', 'o3')).toBe(false);
});

test('a group sees the names it can ask for, sorted, each once', () => {
  const table = new RoutingTable([
    channel({ models: ['o3', 'gpt-4*'] }),
    channel({ models: ['gpt-4o', 'o3'] }),
    channel({ groups: ['vip'], models: ['secret'] }),
  ]);
  expect(table.modelsOf('default')).toEqual(['gpt-4*', 'gpt-4o', 'o3']);
  expect(table.modelsOf('nobody')).toEqual([]);
});

test('models served only by a channel that is off are reported as such', () => {
  const table = new RoutingTable(
    [channel({})],
    [{ id: 9, name: 'resting', type: 1, priority: 0, weight: 1, models: ['o3', 'claude-*'], groups: ['default'] }],
  );
  expect(table.serves('default', 'o3')).toBe(false);
  expect(table.rests('default', 'o3')).toBe(true);
  expect(table.rests('default', 'claude-1')).toBe(true);
  expect(table.rests('vip', 'o3')).toBe(false);
  expect(table.rests('default', 'gpt-4o')).toBe(false);
});

test('a name is listed where it stands as it is, by what is on or off, in the same group', () => {
  const table = new RoutingTable(
    [channel({ models: ['o3#high', 'gpt-*'] })],
    [{ id: 9, name: 'resting', type: 1, priority: 0, weight: 1, models: ['o3#low', 'claude-*'], groups: ['vip'] }],
  );
  expect(table.lists('default', 'o3#high')).toBe(true);
  expect(table.lists('vip', 'o3#low')).toBe(true);
  for (const name of ['gpt-4o', 'gpt-*', 'o3', 'o3#low']) expect(table.lists('default', name), name).toBe(false);
  for (const name of ['o3#high', 'claude-1']) expect(table.lists('vip', name), name).toBe(false);
});

test('of thousands of channels one is checked, and a few if one in three is unusable', () => {
  const many = Array.from({ length: 5000 }, (_, i) => channel({ weight: 1 + (i % 7), models: ['gpt-4o', `m${i}-*`] }));
  const table = new RoutingTable(many);
  let looked = 0;
  const counting = (usable: (id: number) => boolean) => (one: LiveChannel) => {
    looked++;
    return usable(one.id);
  };
  for (let i = 0; i < 1000; i++) table.pick('default', 'gpt-4o', counting(any));
  expect(looked).toBe(1000);
  expect(table.pick('default', 'm4711-x', any)).toBe(many[4711]);
  looked = 0;
  for (let i = 0; i < 1000; i++)
    expect(
      table.pick(
        'default',
        'gpt-4o',
        counting((id) => id % 3 > 0),
      ),
    ).toBeDefined();
  expect(looked).toBeLessThan(1000 * 10);
});

test('hashes of conversations are shares by weight, and only the conversations of a lost channel move', () => {
  const all = [channel({ weight: 1 }), channel({ weight: 3 }), channel({ weight: 6 })];
  const table = new RoutingTable(all);
  const [, , lost] = all as [LiveChannel, LiveChannel, LiveChannel];
  const counted = new Map<number, number>();
  for (let n = 0; n < 10_000; n++) {
    const stay = { seed: Math.imul(n, 0x85ebca6b), channelId: 0 };
    const at = table.pick('default', 'gpt-4o', any, stay)!;
    counted.set(at.id, (counted.get(at.id) ?? 0) + 1);
    const without = table.pick('default', 'gpt-4o', ({ id }) => id !== lost.id, stay)!;
    if (at.id !== lost.id) expect(without.id).toBe(at.id);
  }
  for (const { id, weight } of all) {
    const share = weight / 10;
    expect(Math.abs((counted.get(id) ?? 0) - 10_000 * share)).toBeLessThan(6 * Math.sqrt(10_000 * share * (1 - share)));
  }
});

describe('a preference', () => {
  const shares = (figures: (number | undefined)[], power: number, explored: number): number[] => {
    const equals = figures.map((_, at) => channel({ id: at + 1, weight: at === 3 ? 2 : 1 }));
    const preference = { name: '', power, explored, keeper: 0, figure: ({ id }: LiveChannel) => figures[id - 1] };
    return sharesBy(preference, equals).map((share) => Math.round(share * 100));
  };

  test.each<[string, (number | undefined)[], [number, number], number[]]>([
    ['gives equal figures equal shares', [100, 100], [2, 0.05], [50, 50]],
    ['gives close figures close shares', [100, 120], [2, 0.05], [59, 41]],
    ['keeps a share for the slowest', [100, 100, 5000], [2, 0.06], [49, 49, 2]],
    ['counts unknown figures like the median', [100, 200, undefined], [2, 0], [67, 17, 17]],
    ['draws by weight if nothing is known', [undefined, undefined, undefined, undefined], [2, 0.05], [20, 20, 20, 40]],
    ['counts weights besides', [100, 100, 100, 100], [2, 0], [20, 20, 20, 40]],
    ['gives nearly all to the cheapest', [1, 1.1, 3], [32, 0], [95, 5, 0]],
    ['takes figures of zero as the lowest', [0, 0, 1], [32, 0], [50, 50, 0]],
  ])('%s', (_, figures, [power, explored], expected) => {
    expect(shares(figures, power, explored)).toEqual(expected);
  });

  test('falls back to a channel without a share when the others cannot be used', () => {
    const table = new RoutingTable([1, 2, 3].map((id) => channel({ id })));
    const cheapest = { name: 'cost', power: 32, explored: 0, keeper: 0, figure: ({ id }: LiveChannel) => 10 ** id };
    expect(table.pick('default', 'gpt-4o', ({ id }) => id !== 1, cheapest)?.id).toBe(2);
    expect(table.pick('default', 'gpt-4o', ({ id }) => id === 3, cheapest)?.id).toBe(3);
    expect(table.pick('default', 'gpt-4o', () => true, { ...cheapest, keeper: 3 })?.id).toBe(3);
  });
});
