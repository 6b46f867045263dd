import { ledgerApi, logType, role, userApi } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { rowsOf } from '#testing/callers.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addAccount, addPerson } from '#testing/people.ts';

const remark = 'as agreed by phone';

onEveryDatabase('corrections of a balance', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let admin: TestPerson;
  let user: TestPerson;

  beforeAll(async () => {
    admin = await addPerson(hub(), { role: role.admin });
    user = await addPerson(hub(), { quota: 1000 });
    await addChannel(hub(), upstream().url);
  });

  const correct = (
    by: TestPerson['client'],
    id: number,
    quota: number,
    more: { remark?: string; reference?: string } = {},
  ) => by.try(ledgerApi.correct, { params: { id }, body: { quota, remark, ...more } });
  const balanceOf = async (person: TestPerson) => (await person.client.call(userApi.self)).quota;
  const pageOf = async (id: number, page: number) =>
    (await hub().root.call(ledgerApi.list, { query: { user_id: id, size: 100, page } })).data;
  const entriesOf = async (id: number) => [...(await pageOf(id, 1)), ...(await pageOf(id, 2))];

  test('give, take, and are seen at once', async () => {
    const given = await correct(admin.client, user.id, 500, { remark: '  spaces around  ' });
    expect(given).toMatchObject({
      status: 200,
      body: {
        data: {
          user_id: user.id,
          username: user.username,
          kind: 'correction',
          credits: 500,
          balance_after: 1500,
          actor: 'administrator',
          actor_id: admin.id,
          actor_name: admin.username,
          remark: 'spaces around',
          reference: expect.stringMatching(/^correction:/),
          token_id: null,
        },
      },
    });
    expect(await balanceOf(user)).toBe(1500);
    expect(await correct(admin.client, user.id, -1500)).toMatchObject({ body: { data: { balance_after: 0 } } });
    expect(await balanceOf(user)).toBe(0);
    await expectBooksBalance(hub().server.deps.db);
  });

  test('are noted in the user’s log', async () => {
    const account = await addAccount(hub(), { quota: 10 });
    await correct(admin.client, account.id, -4);
    expect(await rowsOf(hub().server.deps.db, { userId: account.id })).toMatchObject([
      { type: logType.manage, username: account.username, quota: -4, content: remark, source_ip: '127.0.0.1' },
    ]);
  });

  describe('are refused', () => {
    const bodies: [why: string, body: unknown, field: string][] = [
      ['zero', { quota: 0, remark }, 'quota'],
      ['no amount', { remark }, 'quota'],
      ['a fraction', { quota: 1.5, remark }, 'quota'],
      ['a text', { quota: '5', remark }, 'quota'],
      ['more than can be counted', { quota: 2 ** 53, remark }, 'quota'],
      ['more than anybody has', { quota: 1e15 + 1, remark }, 'quota'],
      ['no remark', { quota: 1 }, 'remark'],
      ['an empty remark', { quota: 1, remark: '' }, 'remark'],
      ['a blank remark', { quota: 1, remark: ' \t ' }, 'remark'],
      ['a long remark', { quota: 1, remark: 'x'.repeat(256) }, 'remark'],
      ['a short reference', { quota: 1, remark, reference: 'x' }, 'reference'],
      ['a reference with blanks', { quota: 1, remark, reference: 'one two three' }, 'reference'],
    ];

    test.each(bodies)('%s', async (_, body, field) => {
      const answer = await admin.client.send('POST', `/api/user/quota/${user.id}`, body);
      expect(answer).toMatchObject({ status: 400, body: { code: 'input.invalid', field } });
    });

    test('for an unknown user', async () => {
      const gone = await addAccount(hub(), { quota: 5, deleted_time: 1 });
      expect(await correct(admin.client, 987_654_321, 1)).toMatchObject({ status: 404 });
      expect(await correct(admin.client, gone.id, 1)).toMatchObject({ status: 404 });
    });

    test('beyond what there is; the answer says how much there is', async () => {
      const poor = await addAccount(hub(), { quota: 70 });
      expect(await correct(admin.client, poor.id, -71)).toMatchObject({
        status: 409,
        body: {
          code: 'quota.beyond',
          field: 'quota',
          message: 'You can deduct at most 70 credits. 0 more are reserved for calls',
        },
      });
      expect(await entriesOf(poor.id)).toHaveLength(1);
    });

    test('beyond what can be counted', async () => {
      const rich = await addAccount(hub(), { quota: Number.MAX_SAFE_INTEGER - 5 });
      expect(await correct(admin.client, rich.id, 6)).toMatchObject({
        status: 409,
        body: { code: 'quota.uncountable' },
      });
      expect(await correct(admin.client, rich.id, 5)).toMatchObject({ status: 200 });
    });
  });

  describe('who may correct whom', () => {
    const people = { user: role.user, admin: role.admin, root: role.root };
    const cases: [actor: keyof typeof people, target: keyof typeof people, status: number][] = [
      ['user', 'user', 403],
      ['admin', 'user', 200],
      ['admin', 'admin', 403],
      ['admin', 'root', 403],
      ['root', 'user', 200],
      ['root', 'admin', 200],
      ['root', 'root', 200],
    ];
    test.each(cases)('%s, %s: %i', async (actor, target, status) => {
      const by = { user: user.client, admin: admin.client, root: hub().root }[actor];
      const account = await addAccount(hub(), { role: people[target], quota: 5 });
      expect((await correct(by, account.id, 1)).status).toBe(status);
      expect(await entriesOf(account.id)).toHaveLength(status === 200 ? 2 : 1);
    });

    test.each([
      ['an administrator not himself', 403],
      ['the super administrator himself too', 200],
    ])('%s', async (_, status) => {
      const by = status === 200 ? hub().root : admin.client;
      const { id } = await by.call(userApi.self);
      expect((await correct(by, id, 1)).status).toBe(status);
    });
  });

  describe('submitted twice under one reference', () => {
    test('are made once, and answered with the same entry', async () => {
      const account = await addAccount(hub(), { quota: 10 });
      const reference = `double-submit-${account.id}`;
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => correct(admin.client, account.id, -10, { reference })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect((await entriesOf(account.id)).map(({ credits }) => credits)).toEqual([-10, 10]);
    });

    test('are refused when it is another change', async () => {
      const account = await addAccount(hub());
      const other = await addAccount(hub());
      const reference = `other-change-${account.id}`;
      expect((await correct(admin.client, account.id, 5, { reference })).status).toBe(200);
      const used = { status: 409, body: { code: 'reference.used', field: 'reference' } };
      expect(await correct(admin.client, account.id, 6, { reference })).toMatchObject(used);
      expect(await correct(admin.client, account.id, 5, { reference, remark: 'else' })).toMatchObject(used);
      expect(await correct(admin.client, other.id, 5, { reference })).toMatchObject(used);
      expect(await correct(hub().root, account.id, 5, { reference })).toMatchObject(used);
    });

    test('without one they are two', async () => {
      const account = await addAccount(hub());
      await Promise.all([correct(admin.client, account.id, 5), correct(admin.client, account.id, 5)]);
      expect((await entriesOf(account.id))[0]).toMatchObject({ balance_after: 10 });
    });
  });

  test('a hundred at once add up, and none goes below zero', async () => {
    const account = await addAccount(hub(), { quota: 100 });
    const amounts = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 7 : -9));
    const answers = await Promise.all(
      amounts.map((quota, i) => correct(i % 3 === 0 ? hub().root : admin.client, account.id, quota)),
    );
    const made = amounts.filter((_, i) => answers[i]!.status === 200);
    for (const { status, body } of answers) if (status !== 200) expect(body).toMatchObject({ code: 'quota.beyond' });
    const entries = await entriesOf(account.id);
    const inOrder = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
    expect(inOrder(entries.map(({ credits }) => credits))).toEqual(inOrder([...made, 100]));
    expect(made.length).toBeGreaterThan(50);
    let balance = 0;
    for (const entry of entries.toReversed()) {
      balance += entry.credits;
      expect(entry.balance_after).toBe(balance);
      expect(balance).toBeGreaterThanOrEqual(0);
    }
    await expectBooksBalance(hub().server.deps.db);
  });

  test('take what calls have left over', async () => {
    const caller = await addPerson(hub(), { quota: 10_000_000 });
    const { key } = await tokenOf(caller.client);
    expect((await chat(hub(), key)).status).toBe(200);
    // Part of the balance is leased to the node for further calls.
    const left = await balanceOf(caller);
    expect(left).toBeGreaterThan(9_000_000);
    expect(await correct(admin.client, caller.id, -left)).toMatchObject({ status: 200 });
    expect(await balanceOf(caller)).toBe(0);
    expect((await chat(hub(), key)).status).toBe(402);
    expect((await correct(admin.client, caller.id, 10_000_000)).status).toBe(200);
    expect((await chat(hub(), key)).status).toBe(200);
    await expectBooksBalance(hub().server.deps.db);
  });

  test('take nothing that a call has reserved', async () => {
    const caller = await addPerson(hub(), { quota: 10_000_000 });
    const { key } = await tokenOf(caller.client);
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    upstream().next({ until });
    const call = chat(hub(), key, 'gpt-4o', 'a slow one, please');
    await upstream().requests.waitFor(({ body }) => body.includes('a slow one'));
    const refused = await correct(admin.client, caller.id, -10_000_000);
    expect(refused).toMatchObject({ status: 409, body: { code: 'quota.beyond' } });
    const [most, held] = refused.body.message.match(/\d+/g)!.map(Number);
    expect(held).toBeGreaterThan(0);
    expect(most! + held!).toBe(10_000_000);
    expect((await correct(admin.client, caller.id, -most!)).status).toBe(200);
    answer();
    expect((await call).status).toBe(200);
    const rows = await rowsOf(hub().server.deps.db, { userId: caller.id });
    const charge = rows.find(({ type }) => type === logType.consume)!;
    expect(charge.metadata).toMatchObject({ reserved: held });
    expect(charge.metadata).not.toHaveProperty('shortfall');
    expect(await balanceOf(caller)).toBe(held! - charge.quota);
    await expectBooksBalance(hub().server.deps.db);
  });
});
