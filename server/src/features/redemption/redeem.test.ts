import { logApi, redemptionApi, role, userApi } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import type { TestAccount, TestPerson } from '#testing/people.ts';
import { addAccount, addPerson } from '#testing/people.ts';
import { redeem } from './redeem.ts';

const QUOTA = 500_000;

onEveryDatabase('redeeming', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let people: TestPerson[];

  beforeAll(async () => {
    people = [];
    for (let i = 0; i < 5; i++) people.push(await addPerson(hub()));
    await addChannel(hub(), upstream().url);
  });

  const makeCode = async (more: object = {}): Promise<{ id: number; code: string }> => {
    const [code] = await hub().root.call(redemptionApi.create, { body: { name: 'launch', quota: QUOTA, ...more } });
    const { data } = await hub().root.call(redemptionApi.list, { query: { keyword: code! } });
    return { id: data[0]!.id, code: code! };
  };
  const balanceOf = async ({ client }: TestPerson) => (await client.call(userApi.self)).quota;
  const tryCode = (person: TestPerson, key: string) => person.client.try(redemptionApi.redeem, { body: { key } });
  const setStatus = (id: number, status: 1 | 2) =>
    hub().root.try(redemptionApi.update, { query: { status_only: 'true' }, body: { id, status } });
  const entriesOf = (id: number) =>
    hub().server.deps.db.selectFrom('ledger').selectAll().where('reference', '=', `redemption:${id}`).execute();

  test('a balance that could not be counted exactly any more refuses the code, which stays good', async () => {
    const rich = await addPerson(hub());
    const quota = 1_000_000_000_000_000;
    const before = await balanceOf(rich);
    for (let i = 0; i < 9; i++) expect((await tryCode(rich, (await makeCode({ quota })).code)).status).toBe(200);
    const last = await makeCode({ quota });
    expect(await tryCode(rich, last.code)).toMatchObject({ status: 409, body: { code: 'quota.uncountable' } });
    expect(await balanceOf(rich)).toBe(before + 9 * quota);
    expect(await hub().root.call(redemptionApi.get, { params: { id: last.id } })).toMatchObject({ status: 1 });
    await expectBooksBalance(hub().server.deps.db);
  });

  test('is for users and the super administrator: administrators make and see the codes', async () => {
    const [admin, root] = [await addPerson(hub(), { role: role.admin }), await addPerson(hub(), { role: role.root })];
    const [own] = await admin.client.call(redemptionApi.create, { body: { name: 'own', quota: QUOTA } });
    const { id, code } = await makeCode();
    for (const key of [own!, code])
      expect(await tryCode(admin, key)).toMatchObject({ status: 403, body: { code: 'redemption.administrator' } });
    expect(await balanceOf(admin)).toBe(0);
    expect(await entriesOf(id)).toEqual([]);
    expect((await tryCode(root, code)).status).toBe(200);
  });

  test('adds the credits, and records it in the ledger, the log and the code', async () => {
    const [person] = people as [TestPerson];
    const before = await balanceOf(person);
    const { id, code } = await makeCode();
    expect((await tryCode(person, code)).body).toEqual({ success: true, message: '', data: QUOTA });
    expect(await balanceOf(person)).toBe(before + QUOTA);
    const hint = `${code.slice(0, 4)}••••••••${code.slice(-4)}`;
    expect(await entriesOf(id)).toMatchObject([
      { user_id: person.id, kind: 'redemption', credits: QUOTA, actor_id: person.id, remark: hint, token_id: null },
    ]);
    expect((await person.client.call(logApi.ownList, { query: { log_type: 1, size: 1 } })).data).toMatchObject([
      {
        quota: QUOTA,
        content: `Redemption code ${hint}`,
        username: person.username,
        source_ip: '127.0.0.1',
        model_name: '',
        metadata: null,
      },
    ]);
    const redeemed = await hub().root.call(redemptionApi.get, { params: { id } });
    expect(redeemed).toMatchObject({
      status: 3,
      redeemed_user_id: person.id,
      redeemed_username: person.username,
      username: 'root',
    });
    expect(Math.abs(redeemed.redeemed_time - hub().server.deps.now())).toBeLessThan(60);
    await expectBooksBalance(hub().server.deps.db);
  });

  test('pays for the next call at once', async () => {
    const person = await addPerson(hub());
    const { key } = await tokenOf(person.client, { unlimited_quota: true });
    expect((await chat(hub(), key)).status).toBe(402);
    await person.client.call(redemptionApi.redeem, { body: { key: (await makeCode()).code } });
    expect((await chat(hub(), key)).status).toBe(200);
  });

  test.each<[how: string, change: (code: string) => string]>([
    ['spaces around it', (code) => `  ${code}\t`],
    ['capitals', (code) => code.toUpperCase()],
    ['hyphens and a line break', (code) => `${code.slice(0, 8)}-${code.slice(8, 16)}\n${code.slice(16)}`],
  ])('takes a code with %s', async (_, change) => {
    const { code } = await makeCode({ quota: 7 });
    expect(await tryCode(people[0]!, change(code))).toMatchObject({ status: 200, body: { data: 7 } });
  });

  test('a code may be worth nothing', async () => {
    const { id, code } = await makeCode({ quota: 0 });
    expect(await tryCode(people[0]!, code)).toMatchObject({ status: 200, body: { data: 0 } });
    expect(await entriesOf(id)).toMatchObject([{ credits: 0 }]);
    await expectBooksBalance(hub().server.deps.db);
  });

  test('of a hundred racing requests of five people one wins, and the others learn the reason', async () => {
    const before = await Promise.all(people.map(balanceOf));
    const { id, code } = await makeCode();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => tryCode(people[i % 5]!, code)));
    const won = answers.flatMap(({ status }, i) => (status === 200 ? [i % 5] : []));
    expect(won).toHaveLength(1);
    answers.forEach(({ status, body }, i) => {
      if (status === 200) return;
      const told = i % 5 === won[0] ? 'redemption.yours' : 'redemption.redeemed';
      expect({ status, body }).toMatchObject({ status: 409, body: { success: false, code: told, field: 'key' } });
    });
    const after = await Promise.all(people.map(balanceOf));
    expect(after).toEqual(before.map((quota, i) => (i === won[0] ? quota + QUOTA : quota)));
    expect(await entriesOf(id)).toHaveLength(1);
    await expectBooksBalance(hub().server.deps.db);
  });

  test('of a hundred racing accounts one wins', async () => {
    const { db, live, now } = hub().server.deps;
    const users: TestAccount[] = [];
    for (let i = 0; i < 100; i++) users.push(await addAccount(hub()));
    const { id, code } = await makeCode();
    const outcomes = await Promise.allSettled(
      users.map((user) => redeem(db, code, { user, ip: '', language: 'en_US' }, { now: now(), live })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'redemption.redeemed' });
    const rich = await db.selectFrom('users').where('quota', '=', QUOTA).select('id').execute();
    expect(rich.map((user) => user.id).filter((user) => users.some((each) => each.id === user))).toEqual([
      (await hub().root.call(redemptionApi.get, { params: { id } })).redeemed_user_id,
    ]);
    await expectBooksBalance(db);
  });

  test('one user who redeems a hundred codes at once gets all of them', async () => {
    const codes = await hub().root.call(redemptionApi.create, { body: { name: 'many', quota: 3, count: 100 } });
    const person = people[1]!;
    const before = await balanceOf(person);
    const answers = await Promise.all(codes.map((code) => tryCode(person, code)));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await balanceOf(person)).toBe(before + 300);
    await expectBooksBalance(hub().server.deps.db);
  });

  describe('against an administrator at the same moment', () => {
    /** In any order, credits are added exactly if the code is redeemed. */
    const race = async (take: (id: number) => Promise<unknown>) => {
      for (let round = 0; round < 12; round++) {
        const { id, code } = await makeCode();
        const attempt = () => tryCode(people[0]!, code);
        const work = round % 2 ? [attempt(), take(id)] : [take(id), attempt()];
        await Promise.all(work);
        const row = await hub()
          .server.deps.db.selectFrom('redemptions')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        const entries = await entriesOf(id);
        expect(entries).toHaveLength(row.status === 3 ? 1 : 0);
        expect(row.redeemed_user_id).toBe(row.status === 3 ? people[0]!.id : 0);
        expect(row.status === 3 || row.status === 2 || row.deleted_time !== null).toBe(true);
      }
      await expectBooksBalance(hub().server.deps.db);
    };

    test('who disables it', () => race((id) => setStatus(id, 2)));
    test('who deletes it', () => race((id) => hub().root.try(redemptionApi.remove, { params: { id } })));
    test('who makes it worth less', async () => {
      for (let round = 0; round < 12; round++) {
        const { id, code } = await makeCode();
        const change = () => hub().root.try(redemptionApi.update, { body: { id, quota: 1 } });
        const [paid] = await Promise.all([tryCode(people[0]!, code), change()]);
        const { quota } = await hub().root.call(redemptionApi.get, { params: { id } });
        expect(paid).toMatchObject({ status: 200, body: { data: quota } });
        expect(await entriesOf(id)).toMatchObject([{ credits: quota }]);
      }
    });
  });

  describe('is refused', () => {
    test('for a code that is disabled, until it is enabled', async () => {
      const { id, code } = await makeCode();
      await setStatus(id, 2);
      expect(await tryCode(people[2]!, code)).toMatchObject({ status: 409, body: { code: 'redemption.disabled' } });
      await setStatus(id, 1);
      expect((await tryCode(people[2]!, code)).status).toBe(200);
    });

    test('for a code whose time is over', async () => {
      const { id, code } = await makeCode({ expired_time: hub().server.deps.now() + 1000 });
      await hub()
        .server.deps.db.updateTable('redemptions')
        .set({ expired_time: hub().server.deps.now() })
        .where('id', '=', id)
        .execute();
      expect(await tryCode(people[2]!, code)).toMatchObject({ status: 409, body: { code: 'redemption.expired' } });
      expect(await entriesOf(id)).toEqual([]);
    });

    test('for a code that was deleted, until it is restored', async () => {
      const { id, code } = await makeCode();
      await hub().root.call(redemptionApi.remove, { params: { id } });
      expect(await tryCode(people[2]!, code)).toMatchObject({ status: 404, body: { code: 'redemption.unknown' } });
      await hub().root.call(redemptionApi.restore, { params: { id } });
      expect((await tryCode(people[2]!, code)).status).toBe(200);
    });

    test.each(['', '   ', 'x'.repeat(201), 7, null, ['a'], { like: '%' }])('for %o as a code', async (key) => {
      expect(await people[2]!.client.send('POST', '/api/user/topup', { key })).toMatchObject({
        status: 400,
        body: { success: false, code: 'input.invalid', field: 'key' },
      });
    });

    test('when a balance would no longer be countable, and changes nothing', async () => {
      const rich = await addPerson(hub(), { quota: Number.MAX_SAFE_INTEGER - 5 });
      const { id, code } = await makeCode({ quota: 10 });
      expect((await tryCode(rich, code)).status).toBeGreaterThanOrEqual(400);
      expect(await balanceOf(rich)).toBe(Number.MAX_SAFE_INTEGER - 5);
      expect(await hub().root.call(redemptionApi.get, { params: { id } })).toMatchObject({ status: 1 });
    });
  });
});
