import { registerApi, role, userAdminApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { browserFrom } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { addAccount, addPerson, PASSWORD, type TestPerson } from '#testing/people.ts';

const DAY_S = 86_400;

onEveryDatabase('the list of inviters', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  let admin: TestPerson;
  beforeAll(async () => {
    admin = await addPerson(hub(), { role: role.admin });
  });

  const list = (query: { keyword?: string; suspicious?: number; order?: string } = {}) =>
    admin.client.call(userAdminApi.inviters, { query });
  const invite = (inviter_id: number, days: number, register_ip: string) =>
    addAccount(hub(), { inviter_id, register_ip, created_time: 1_700_000_000 + days * DAY_S });

  test('is empty without invitations', async () => {
    expect(await list()).toMatchObject({ data: [], total_count: 0 });
  });

  test('counts invited accounts, rewards, shared addresses and the busiest day', async () => {
    const [honest, farmer, crowd] = [
      await addAccount(hub(), { register_ip: '192.0.2.1' }),
      await addAccount(hub(), { register_ip: '192.0.2.2' }),
      await addAccount(hub()),
    ];
    await invite(honest.id, 0, '198.51.100.1');
    await invite(honest.id, 1, '198.51.100.2');
    await invite(honest.id, 2, '192.0.2.1');
    await invite(honest.id, 3, '');
    await invite(honest.id, 4, '');
    await invite(farmer.id, 0, '192.0.2.2');
    await invite(farmer.id, 1, '203.0.113.7');
    await invite(farmer.id, 2, '203.0.113.7');
    for (let i = 0; i < 5; i++) await invite(crowd.id, i === 4 ? 9 : 5, `203.0.113.${i}`);
    await invite(crowd.id, 5, '203.0.113.9');
    const page = await list({ order: '-same_address' });
    expect(page.total_count).toBe(3);
    expect(page.data).toMatchObject([
      { id: farmer.id, invited: 3, same_address: 3, same_day: 1, suspicious: ['same_address'] },
      { id: honest.id, invited: 5, same_address: 1, same_day: 1, suspicious: [], rewarded: 0, earned: 0 },
      {
        id: crowd.id,
        invited: 6,
        same_address: 0,
        same_day: 5,
        last_time: 1_700_000_000 + 9 * DAY_S,
        suspicious: ['same_day'],
      },
    ]);
    const suspects = await list({ suspicious: 1, order: 'id' });
    expect(suspects.data.map(({ id }) => id)).toEqual([farmer.id, crowd.id]);
    expect((await list({ keyword: honest.username })).data).toHaveLength(1);
    expect((await list({ keyword: String(crowd.id), suspicious: 1 })).data).toMatchObject([{ id: crowd.id }]);
    const invited = await admin.client.call(userAdminApi.list, { query: { inviter: farmer.id } });
    expect(invited.data.map(({ register_ip }) => register_ip).toSorted()).toEqual([
      '192.0.2.2',
      '203.0.113.7',
      '203.0.113.7',
    ]);
  });

  test('knows the network that an account registered from', async () => {
    const inviter = await addPerson(hub());
    const aff_code = await inviter.client.call(registerApi.affCode);
    for (const [username, from] of [
      ['guest-six-1', '2001:db8:7:1::5'],
      ['guest-six-2', '2001:db8:7:1::6'],
    ] as const) {
      const headers = { 'x-forwarded-for': from };
      const sent = await browserFrom(hub()).send(
        'POST',
        '/api/user/register',
        { username, password: PASSWORD, aff_code },
        headers,
      );
      expect(sent.status).toBe(200);
    }
    const { data } = await list({ keyword: inviter.username });
    expect(data).toMatchObject([{ invited: 2, same_address: 2, suspicious: ['same_address'] }]);
  });

  test('leaves out deleted inviters, and counts deleted invited accounts', async () => {
    const [gone, there] = [await addAccount(hub(), { deleted_time: 1 }), await addAccount(hub())];
    await invite(gone.id, 0, '');
    await addAccount(hub(), { inviter_id: there.id, deleted_time: 1 });
    expect((await list({ keyword: gone.username })).data).toEqual([]);
    expect((await list({ keyword: there.username })).data).toMatchObject([{ invited: 1 }]);
  });
});
