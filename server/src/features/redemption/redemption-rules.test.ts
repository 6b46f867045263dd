import { redemptionApi } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';

onEveryDatabase('rules for redemption codes', (make) => {
  const hub = hubForSuite(make);
  let admin: TestPerson;

  beforeAll(async () => {
    admin = await addPerson(hub(), { role: 10 });
  });

  const count = async () => (await admin.client.call(redemptionApi.list)).total_count;
  const firstId = async () => {
    await admin.client.call(redemptionApi.create, { body: { name: 'one', quota: 5 } });
    return (await admin.client.call(redemptionApi.list)).data[0]!.id;
  };

  const shared: [why: string, change: Record<string, unknown>, field: string][] = [
    ['no name', { name: '' }, 'name'],
    ['a name of spaces', { name: '   ' }, 'name'],
    ['a name of 21 characters', { name: '码'.repeat(21) }, 'name'],
    ['a name that is none', { name: 7 }, 'name'],
    ['a name with NUL', { name: 'a\0b' }, 'name'],
    ['a quota below 0', { quota: -1 }, 'quota'],
    ['half a credit', { quota: 0.5 }, 'quota'],
    ['a quota beyond all sums', { quota: 1_000_000_000_000_001 }, 'quota'],
    ['a quota in words', { quota: '5' }, 'quota'],
    ['an expiry that has passed', { expired_time: 1000 }, 'expired_time'],
    ['an expiry before all times', { expired_time: -2 }, 'expired_time'],
    ['half an expiry', { expired_time: 2_000_000_000.5 }, 'expired_time'],
  ];
  const ofCreating: typeof shared = [
    ['a missing name', { name: undefined }, 'name'],
    ['a missing quota', { quota: undefined }, 'quota'],
    ['no code at all', { count: 0 }, 'count'],
    ['fewer codes than none', { count: -1 }, 'count'],
    ['101 codes', { count: 101 }, 'count'],
    ['half a code', { count: 1.5 }, 'count'],
    ['a count in words', { count: '5' }, 'count'],
  ];

  describe('creating', () => {
    test.each([...shared, ...ofCreating])('refuses %s', async (_, change, field) => {
      const before = await count();
      const answer = await admin.client.send('POST', '/api/redemption/', { name: 'one', quota: 5, ...change });
      expect(answer).toMatchObject({ status: 400, body: { success: false, field } });
      expect(await count()).toBe(before);
    });

    test.each<[why: string, change: Record<string, unknown>, codes: number, stored: Record<string, unknown>]>([
      ['a quota of 0, and keeps it', { quota: 0 }, 1, { quota: 0 }],
      ['the largest quota', { quota: 1_000_000_000_000_000 }, 1, { quota: 1_000_000_000_000_000 }],
      ['a name of 20 characters', { name: '码'.repeat(20) }, 1, { name: '码'.repeat(20) }],
      ['no count, for one', {}, 1, { expired_time: -1 }],
      ['100 codes', { count: 100 }, 100, { name: 'one' }],
      ['expiry 0, for never', { expired_time: 0 }, 1, { expired_time: -1 }],
      ['an expiry', { expired_time: 4_000_000_000 }, 1, { expired_time: 4_000_000_000 }],
    ])('takes %s', async (_, change, codes, stored) => {
      const answer = await admin.client.send<string[]>('POST', '/api/redemption/', {
        name: 'one',
        quota: 5,
        ...change,
      });
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
      expect((answer.body as { data: string[] }).data).toHaveLength(codes);
      expect((await admin.client.call(redemptionApi.list)).data[0]).toMatchObject(stored);
    });
  });

  describe('editing', () => {
    test.each(shared)('refuses %s, and changes nothing', async (_, change, field) => {
      const id = await firstId();
      const before = await admin.client.call(redemptionApi.get, { params: { id } });
      const answer = await admin.client.send('PUT', '/api/redemption/', { id, name: 'two', ...change });
      expect(answer).toMatchObject({ status: 400, body: { success: false, field } });
      expect(await admin.client.call(redemptionApi.get, { params: { id } })).toEqual(before);
    });

    test.each([0, 3, 4, '1', null])('status %o is none that can be set', async (status) => {
      const id = await firstId();
      expect(await admin.client.send('PUT', '/api/redemption/?status_only=true', { id, status })).toMatchObject({
        status: 400,
        body: { field: 'status' },
      });
    });

    test.each([{ id: 987_654 }, { id: 987_654, name: 'x' }])('needs a code: %o', async (body) => {
      expect(await admin.client.send('PUT', '/api/redemption/', body)).toMatchObject({
        status: 404,
        body: { code: 'record.not_found', field: 'id' },
      });
    });
  });

  test('users may redeem, and nothing else', async () => {
    const user = await addPerson(hub());
    for (const [name, { method, path }] of Object.entries(redemptionApi)) {
      if (name === 'redeem') continue;
      const body = method === 'GET' || method === 'DELETE' ? undefined : { name: 'mine', quota: 1e9 };
      expect(await user.client.send(method, path.replace(':id', '1'), body)).toMatchObject({
        status: 403,
        body: { code: 'session.role' },
      });
    }
    expect((await user.client.send('POST', '/api/user/topup', { key: 'x' })).status).toBe(404);
  });
});
