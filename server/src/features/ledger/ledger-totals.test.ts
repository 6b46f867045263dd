import { ledgerApi, role } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addAccount, addPerson } from '#testing/people.ts';

const HOUR = 3600;
const START = 480_000 * HOUR;

onEveryDatabase('what moved a balance', (make) => {
  const hub = hubForSuite(make);
  let admin: TestPerson;
  let account: { id: number; username: string };
  const calls: { time: number; credits: number }[] = [];

  beforeAll(async () => {
    admin = await addPerson(hub(), { role: role.admin });
    account = await addAccount(hub());
    const { db } = hub().server.deps;
    const entry = (kind: string, credits: number, time: number) => ({
      user_id: account.id,
      token_id: null,
      kind,
      credits,
      balance_after: 0,
      reference: `${kind}:${time}`,
      actor_id: 1,
      remark: '',
      created_time: time,
    });
    const others = [
      entry('topup', 1000, START + 10),
      entry('gift', 20, START + HOUR),
      entry('correction', -300, START + 2 * HOUR + 5),
      entry('correction', 7, START + 3 * HOUR),
    ];
    for (let time = START; time < START + 5 * HOUR; time += 613) calls.push({ time, credits: 1 + (time % 97) });
    await db
      .insertInto('ledger')
      .values([...others, ...calls.map(({ time, credits }) => entry('settle', -credits, time))])
      .execute();
    const hours = Map.groupBy(calls, ({ time }) => time - (time % HOUR));
    for (const [hour, its] of hours)
      await db
        .insertInto('usage_by_user')
        .values({
          user_id: account.id,
          hour,
          model_name: 'gpt-4o',
          request_count: its.length,
          failed_count: 0,
          quota: its.reduce((sum, { credits }) => sum + credits, 0),
          prompt_tokens: 0,
          completion_tokens: 0,
          cached_tokens: 0,
          request_time: 0,
        })
        .execute();
  });

  test.each([
    ['ever', 0, 0, 1027, 300],
    ['from an hour on', START + HOUR, 0, 27, 300],
    ['until the end of an hour', 0, START + 2 * HOUR - 1, 1020, 0],
    ['until the first second of an hour', 0, START + 2 * HOUR, 1020, 0],
    ['from and to within hours', START + 1000, START + 3 * HOUR + 1000, 27, 300],
    ['within one hour', START + 100, START + 2000, 0, 0],
    ['over the edge of an hour', START + HOUR - 700, START + HOUR + 700, 20, 0],
    ['in one second', START + 613, START + 613, 0, 0],
    ['in no time', START + 50, START + 40, 0, 0],
    ['in the time before', 1, START - 1, 0, 0],
  ])('%s', async (_, start, end, added, removed) => {
    const query = { user_id: account.id, start_timestamp: start, end_timestamp: end };
    const spent = calls
      .filter(({ time }) => time >= start && (end === 0 || time <= end))
      .reduce((sum, { credits }) => sum + credits, 0);
    expect(await admin.client.call(ledgerApi.totals, { query })).toMatchObject({ added, removed, spent });
  });

  test('the user must be given, and must exist', async () => {
    const ask = async (query: object) => (await admin.client.try(ledgerApi.totals, { query })).body;
    expect(await ask({})).toMatchObject({ code: 'user.needed', field: 'user_id' });
    expect(await ask({ user_id: 987_654_321 })).toMatchObject({ code: 'record.not_found', field: 'user_id' });
    expect(await ask({ username: 'nobody-here' })).toMatchObject({ code: 'record.not_found', field: 'username' });
    expect(await ask({ username: account.username })).toMatchObject({ data: { user_id: account.id, role: role.user } });
  });
});
