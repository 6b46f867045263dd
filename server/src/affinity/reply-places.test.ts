import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseForSuite } from '#testing/database-for-suite.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hasRedis, redisForSuite } from '#testing/redis.ts';
import { RepliesInDatabase } from './replies-in-database.ts';
import { RepliesInRedis } from './replies-in-redis.ts';
import type { ReplyPlace } from './reply-place.ts';

const now = Math.floor(Date.now() / 1000);
const KIB = 1024;

function suite(open: () => ReplyPlace) {
  let place: ReplyPlace;
  beforeAll(() => {
    place = open();
  });
  afterAll(() => place.close());
  const put = (key: string, { userId = 1, kib = 1, until = now + 3600, most = KIB ** 3 } = {}) =>
    place.put({ key, userId, sealed: key.padEnd(kib * KIB, '.'), now, until }, most);

  test('a reply is found by its key until its time, and the last one of a key counts', async () => {
    await put('a');
    await put('a', { kib: 2 });
    expect((await place.get('a', now))?.length).toBe(2 * KIB);
    expect(await place.get('b', now)).toBeUndefined();
    expect(await place.size(now)).toEqual({ replies: 1, bytes: 2 * KIB });
    await place.clear();
    expect(await place.size(now)).toEqual({ replies: 0, bytes: 0 });
  });

  test('replies that end first give way to others, within the limit of all', async () => {
    const most = 64 * KIB;
    for (let i = 0; i < 40; i++) await put(`r${i}`, { kib: 4, until: now + 1000 + i, most });
    const { replies, bytes } = await place.size(now);
    expect(bytes).toBe(replies * 4 * KIB);
    // The database looks at every sixteenth of the limit.
    expect(bytes).toBeLessThanOrEqual(most + most / 16);
    expect(bytes).toBeGreaterThanOrEqual(most - 4 * KIB);
    expect([await place.get('r0', now), (await place.get('r39', now))?.length]).toEqual([undefined, 4 * KIB]);
    await place.clear();
  });

  test('only the replies of one user are cleared, however many there are', async () => {
    await Promise.all(Array.from({ length: 1200 }, (_, i) => put(`k${i}`, { userId: i % 2 === 0 ? 1 : 11 })));
    await place.clear(1);
    expect(await place.size(now)).toEqual({ replies: 600, bytes: 600 * KIB });
    await place.clear();
    expect(await place.size(now)).toEqual({ replies: 0, bytes: 0 });
  });

  test('replies after their time are removed in pieces, and others stay', async () => {
    for (let i = 0; i < 600; i++) await put(`old${i}`, { until: now + 10 });
    await put('new');
    await place.prune(now + 20, () => false);
    await place.prune(now + 20, () => false);
    expect(await place.size(now + 20)).toEqual({ replies: 1, bytes: KIB });
    await place.clear();
  });
}

onEveryDatabase('cached replies', (make) => {
  const db = databaseForSuite(make);
  suite(() => new RepliesInDatabase(db()));
});

describe.skipIf(!hasRedis)('cached replies (Redis)', () => {
  const redis = redisForSuite();
  suite(() => new RepliesInRedis(redis().url, pino({ level: 'silent' })));
});
