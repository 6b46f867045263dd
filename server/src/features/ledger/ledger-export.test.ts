import { firstStartRemark, ledgerApi, role } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';

const START = 1_750_000_000; // 2025-06-15 15:06:40 UTC

onEveryDatabase('the ledger as a file', (make) => {
  const hub = hubForSuite(make);
  let reader: TestPerson;
  let admin: TestPerson;

  beforeAll(async () => {
    reader = await addPerson(hub());
    admin = await addPerson(hub(), { role: role.admin });
    const entry = (kind: string, credits: number, i: number, more: object = {}) => ({
      user_id: reader.id,
      token_id: null,
      kind,
      credits,
      balance_after: 1_000_000 + i,
      reference: `${kind}:${i}`,
      actor_id: reader.id,
      remark: '',
      created_time: START + i,
      ...more,
    });
    await hub()
      .server.deps.db.insertInto('ledger')
      .values([
        entry('topup', 500_000, 0, { actor_id: 0 }),
        entry('settle', -1, 1),
        entry('correction', -250_001, 2, { actor_id: admin.id, remark: '=HYPERLINK("http://x","a"), "so"\nand on' }),
        entry('gift', 5, 3, { user_id: admin.id, actor_id: admin.id, remark: firstStartRemark }),
      ])
      .execute();
  });

  test('shows a user their own entries, without the administrator who acted', async () => {
    const text = await reader.client.download(ledgerApi.ownDownload, {
      query: { language: 'en', time_zone: 'Asia/Shanghai' },
    });
    expect(text.split('\r\n')).toEqual([
      'Time (Asia/Shanghai),Type,Credits,USD,Balance after,Balance after (USD),Token,Reference,Remark,By',
      `2025-06-15 23:06:42,Correction,-250001,-0.500002,1000002,2.000004,,correction:2,"'=HYPERLINK(""http://x"",""a""), ""so""\nand on",Administrator`,
      '2025-06-15 23:06:41,Call,-1,-0.000002,1000001,2.000002,,settle:1,,Owner',
      '2025-06-15 23:06:40,Top-up,500000,1,1000000,2,,topup:0,,System',
      '',
    ]);
  });

  test('shows an administrator users and actors, in Chinese', async () => {
    const text = await admin.client.download(ledgerApi.download, {
      query: { username: reader.username, kind: 'correction,topup', order: 'created_time', language: 'zh' },
    });
    const lines = text.split('\r\n');
    expect(lines[0]).toBe(
      '时间 (UTC),用户,类型,额度变动,变动（美元）,变动后余额,变动后余额（美元）,令牌,凭证号,备注,操作者',
    );
    expect(lines[1]).toBe(`2025-06-15 15:06:40,${reader.username},充值,500000,1,1000000,2,,topup:0,,系统`);
    expect(lines[2]).toMatch(new RegExp(`,${reader.username},调整,-250001,.*,${admin.username}$`, 's'));
    expect(lines).toHaveLength(4);
  });

  test.each([
    ['en', 'Initial credits'],
    ['ja', '初回起動時の付与'],
  ])('tells in %s what the server itself wrote down', async (language, words) => {
    const text = await admin.client.download(ledgerApi.download, {
      query: { kind: 'gift', keyword: 'start', language },
    });
    expect(text).toContain(`,${words},`);
    expect(text).not.toContain(`,${firstStartRemark},`);
  });

  test('has what the list has, by the same filters', async () => {
    for (const query of [{}, { kind: 'gift' }, { keyword: 'hyperlink' }, { start_timestamp: START + 2 }]) {
      const { data } = await admin.client.call(ledgerApi.list, { query: { ...query, size: 100 } });
      const text = await admin.client.download(ledgerApi.download, { query });
      const references = [...text.matchAll(/[a-z]+:\d+(?=,)/g)].map(([reference]) => reference);
      expect(references).toEqual(data.map(({ reference }) => reference));
    }
  });

  test('for an unknown user has headings only', async () => {
    const text = await admin.client.download(ledgerApi.download, { query: { username: 'nobody-here' } });
    expect(text.split('\r\n')).toHaveLength(2);
  });

  describe('of many entries', () => {
    const COUNT = 2345;
    let other: TestPerson;

    beforeAll(async () => {
      other = await addPerson(hub());
      const { db } = hub().server.deps;
      const entries = Array.from({ length: COUNT }, (_, i) => ({
        user_id: other.id,
        token_id: null,
        kind: i % 7 === 0 ? 'topup' : 'settle',
        credits: -1,
        balance_after: i,
        reference: `many:${i}`,
        actor_id: other.id,
        remark: '',
        // Many within one second, not always booked in order of time.
        created_time: START + ((i * 7) % 50),
      }));
      for (let from = 0; from < COUNT; from += 500)
        await db
          .insertInto('ledger')
          .values(entries.slice(from, from + 500))
          .execute();
    });

    test.each([
      ['as booked', {}, COUNT],
      ['as booked, oldest first', { order: 'id' }, COUNT],
      ['by time', { start_timestamp: START }, COUNT],
      ['by time, oldest first', { start_timestamp: START, order: 'created_time' }, COUNT],
      ['of a kind', { kind: 'topup' }, 335],
      ['of a keyword', { keyword: 'MANY' }, 335],
    ])('has each once: %s', async (_, query, count) => {
      const text = await other.client.download(ledgerApi.ownDownload, { query });
      const found = [...text.matchAll(/many:\d+/g)].map(([reference]) => reference);
      expect(found).toHaveLength(count);
      expect(new Set(found).size).toBe(count);
      const { data } = await other.client.call(ledgerApi.ownList, { query: { ...query, size: 100, page: 3 } });
      expect(found.slice(200, 300)).toEqual(data.map(({ reference }) => reference));
    });
  });
});
