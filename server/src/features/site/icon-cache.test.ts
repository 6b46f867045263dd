import { expect, test } from 'vitest';
import { type CachedIcon, IconCache } from './icon-cache.ts';

const hour = 3600;

function cacheOf(answer: (address: string) => CachedIcon | undefined) {
  const clock = { now: 1_000_000 };
  const fetched: string[] = [];
  const load = async (address: string) => {
    fetched.push(address);
    return answer(address);
  };
  return { clock, fetched, cache: new IconCache(load, () => clock.now) };
}

const icon = { type: 'image/png', body: Buffer.from('x') };

test('an icon is fetched once in 168 hours, by simultaneous requests as well', async () => {
  const { clock, fetched, cache } = cacheOf(() => icon);
  expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual([icon, icon]);
  clock.now += 168 * hour - 1;
  expect(await cache.get('a')).toBe(icon);
  expect(fetched).toEqual(['a']);
  clock.now += 1;
  await cache.get('a');
  expect(fetched).toEqual(['a', 'a']);
});

test('of 51 icons the one that was used least recently is fetched again', async () => {
  const { fetched, cache } = cacheOf(() => icon);
  for (let index = 0; index < 50; index++) await cache.get(`${index}`);
  await cache.get('0');
  await cache.get('50');
  expect(fetched).toHaveLength(51);
  await cache.get('0');
  expect(fetched).toHaveLength(51);
  await cache.get('1');
  expect(fetched).toHaveLength(52);
});

test('a failure is asked for again after ten minutes', async () => {
  const { clock, fetched, cache } = cacheOf(() => undefined);
  expect(await cache.get('a')).toBeUndefined();
  clock.now += 599;
  await cache.get('a');
  expect(fetched).toHaveLength(1);
  clock.now += 1;
  await cache.get('a');
  expect(fetched).toHaveLength(2);
});
