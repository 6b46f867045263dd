import { redemptionApi } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';

onEveryDatabase('codes as a file', (make) => {
  const hub = hubForSuite(make);
  let admin: TestPerson;
  let holder: TestPerson;
  let codes: string[];

  const get = (query: string, { client }: TestPerson = admin) =>
    fetch(`${hub().url}/api/redemption/export${query}`, {
      headers: { cookie: client.cookie, 'accept-language': 'en-US' },
    });
  const linesOf = async (query: string): Promise<string[]> => {
    const text = await (await get(query)).text();
    return text
      .replace(/^\uFEFF/, '')
      .trimEnd()
      .split('\r\n');
  };

  beforeAll(async () => {
    admin = await addPerson(hub(), { role: 10 });
    holder = await addPerson(hub());
    codes = [];
    for (const name of ['=1+1', 'a,b', 'off', 'gone']) {
      const [code] = await admin.client.call(redemptionApi.create, { body: { name, quota: 500 } });
      codes.push(code!);
    }
    const { db, now } = hub().server.deps;
    await holder.client.call(redemptionApi.redeem, { body: { key: codes[0]! } });
    await db
      .updateTable('redemptions')
      .set({ created_time: 1_700_000_000, redeemed_time: 1_700_003_600 })
      .where('id', '=', 1)
      .execute();
    await db
      .updateTable('redemptions')
      .set({ created_time: 1_700_000_000, expired_time: now() })
      .where('id', '=', 2)
      .execute();
    await db.updateTable('redemptions').set({ status: 2 }).where('id', '=', 3).execute();
    await admin.client.call(redemptionApi.remove, { params: { id: 4 } });
  });

  test('has every code of the filter, whole, and is not kept anywhere on the way', async () => {
    const response = await get('');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-disposition')).toContain('redemption.csv');
    const [head, ...lines] = await linesOf('');
    expect(head).toBe('ID,Name,Code,Credits,Status,Created (UTC),Created by,Expires (UTC),Redeemed (UTC),Redeemed by');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(new RegExp(`^3,off,${codes[2]},500,Disabled,`));
    expect(lines[1]).toMatch(new RegExp(`^2,"a,b",${codes[1]},500,Expired,2023-11-14 22:13:20,${admin.username},2`));
    expect(lines[2]).toBe(
      `1,'=1+1,${codes[0]},500,Redeemed,2023-11-14 22:13:20,${admin.username},,2023-11-14 23:13:20,${holder.username}`,
    );
  });

  test.each<[query: string, ids: string[]]>([
    ['?status=3', ['1']],
    ['?keyword=o', ['3']],
    [`?created_by=root`, []],
    ['?end_timestamp=1700000000', ['2', '1']],
  ])('follows the filter %s', async (query, ids) => {
    expect((await linesOf(query)).slice(1).map((line) => line.split(',')[0])).toEqual(ids);
  });

  test('speaks the asked language and time zone', async () => {
    const [head, line] = await linesOf('?language=zh-CN&time_zone=Asia/Shanghai&status=3');
    expect(head).toBe(
      '编号,名称,兑换码,额度,状态,创建时间 (Asia/Shanghai),创建人,到期时间 (Asia/Shanghai),兑换时间 (Asia/Shanghai),兑换人',
    );
    expect(line).toContain('已兑换,2023-11-15 06:13:20');
  });

  test('goes on where one read of the database ends', async () => {
    for (let i = 0; i < 11; i++)
      await admin.client.call(redemptionApi.create, { body: { name: 'many', quota: 1, count: 100 } });
    const lines = (await linesOf('?keyword=many')).slice(1);
    expect(lines).toHaveLength(1100);
    expect(new Set(lines.map((line) => line.split(',')[2])).size).toBe(1100);
  });

  describe('is not for', () => {
    test('users', async () => {
      const response = await get('', holder);
      expect(response.status).toBe(403);
      expect(await response.text()).not.toContain(codes[1]!);
    });
    test('anybody', async () => {
      expect((await fetch(`${hub().url}/api/redemption/export`)).status).toBe(401);
    });
  });
});
