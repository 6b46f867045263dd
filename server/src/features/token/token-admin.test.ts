import { auditApi, role, tokenAdminApi, tokenApi, userGroupApi, userStatus } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { rowsOf, tokenOf as quotaOf } from '#testing/callers.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, liftRates, upstreamForSuite } from '#testing/hub.ts';
import { addAccount, addPerson, type TestPerson } from '#testing/people.ts';

const none = { status: 404, body: { success: false, code: 'record.not_found', field: 'id' } };

onEveryDatabase('tokens of all accounts', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let admin: TestPerson;
  let ann: TestPerson;
  let bob: TestPerson;
  beforeAll(async () => {
    admin = await addPerson(hub(), { role: role.admin });
    ann = await addPerson(hub(), { quota: 10_000_000 });
    bob = await addPerson(hub(), { quota: 10_000_000 });
    await addChannel(hub(), upstream().url, {
      models: 'gpt-4o,gpt-4o-mini',
      model_mapping: '{"gpt-4o-mini":"+sim-slow"}',
    });
    await liftRates(hub().root);
  });

  const rowOf = (id: number) =>
    hub().server.deps.db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const give = (id: number, user_id: number, client = admin.client) =>
    client.try(tokenAdminApi.transfer, { params: { id }, body: { user_id } });
  const log = (userId: number) => rowsOf(hub().server.deps.db, { userId });

  test('are found by end, owner, tag, name and status, with masked keys', async () => {
    const { id, key } = await tokenOf(ann.client, { name: 'nightly', tag: 'backend' });
    await tokenOf(bob.client, { name: 'bobs', tag: 'lab' });
    const find = async (query: Record<string, string | number>) =>
      (await admin.client.call(tokenAdminApi.list, { query })).data.map((token) => token.name);
    for (const query of [
      { keyword: key.slice(-4) },
      { keyword: key },
      { keyword: 'NIGHT' },
      { keyword: 'backe' },
      { keyword: ann.username },
      { tag: 'backend' },
      { user_id: ann.id },
      { user_id: ann.id, status: 1 },
    ])
      expect(await find(query)).toEqual(['nightly']);
    expect(await find({ user_id: ann.id, status: 2 })).toEqual([]);
    expect(await find({ keyword: key.slice(-3) })).toEqual([]);
    expect((await ann.client.call(tokenApi.list, { query: { keyword: key.slice(-4) } })).data).toHaveLength(1);
    expect(await ann.client.call(tokenApi.tags)).toEqual(['backend']);
    // A rotated token is found by the end of its old key, too.
    await ann.client.call(tokenApi.rotate, { params: { id }, body: { old_key_seconds: 60 } });
    expect(await find({ keyword: key.slice(-4) })).toEqual(['nightly']);
    const all = await admin.client.send('GET', '/api/token/all?size=100');
    expect(all.body).toMatchObject({ success: true });
    expect(JSON.stringify(all.body)).not.toContain(key.slice(3, 30));
    expect(await admin.client.call(tokenAdminApi.get, { params: { id } })).toMatchObject({
      username: ann.username,
      user_group: 'default',
    });
  });

  test('are in pages', async () => {
    const many = await addPerson(hub());
    for (const name of ['a', 'b', 'c']) await tokenOf(many.client, { name });
    const page = (of: number) =>
      admin.client.call(tokenAdminApi.list, { query: { user_id: many.id, order: 'name', size: 2, page: of } });
    expect(await page(1)).toMatchObject({ total_count: 3, data: [{ name: 'a' }, { name: 'b' }] });
    expect(await page(2)).toMatchObject({ data: [{ name: 'c' }] });
  });

  test('an administrator makes a token for an account of a lower role; nobody else does', async () => {
    await hub().root.call(userGroupApi.create, { body: { symbol: 'closed', name: 'closed' } });
    const peer = await addPerson(hub(), { role: role.admin });
    const off = await addAccount(hub(), { status: userStatus.disabled });
    const ask = (client: TestPerson['client'], user_id: number, more: object = {}) =>
      client.send<{ token: { id: number; user_id: number } }>('POST', '/api/token/', {
        name: 'made',
        user_id,
        ...more,
      });
    const before = await admin.client.call(tokenAdminApi.list, { query: { size: 1 } });
    for (const [answer, status, code, field] of [
      [await ask(ann.client, bob.id), 403, 'session.role', 'user_id'],
      [await ask(admin.client, peer.id), 403, 'user.rank', 'user_id'],
      [await ask(admin.client, off.id), 409, 'token.owner_disabled', 'user_id'],
      [await ask(admin.client, 999_999), 404, 'record.not_found', 'user_id'],
      [await ask(admin.client, ann.id, { group: 'closed' }), 403, 'group.forbidden', 'group'],
      [await ask(admin.client, 0), 400, 'input.invalid', 'user_id'],
    ] as const)
      expect(answer).toMatchObject({ status, body: { code, field } });
    expect((await admin.client.call(tokenAdminApi.list, { query: { size: 1 } })).total_count).toBe(before.total_count);
    expect((await ask(ann.client, ann.id)).body).toMatchObject({ data: { token: { user_id: ann.id } } });
    const made = await ask(admin.client, ann.id);
    if (!made.body.success) throw new Error(made.body.message);
    const { id } = made.body.data!.token;
    expect(await rowOf(id)).toMatchObject({ user_id: ann.id, name: 'made' });
    expect(await ann.client.call(tokenApi.get, { params: { id } })).toMatchObject({ user_id: ann.id });
    expect(await admin.client.try(tokenApi.get, { params: { id } })).toMatchObject(none);
  });

  test('of equal and higher ranks are neither seen, changed nor received, except by a super administrator', async () => {
    const peer = await addPerson(hub(), { role: role.admin, quota: 1000 });
    const { id, key } = await tokenOf(peer.client);
    const { id: own } = await tokenOf(ann.client);
    expect((await admin.client.call(tokenAdminApi.list, { query: { user_id: peer.id } })).data).toEqual([]);
    expect(await admin.client.try(tokenAdminApi.get, { params: { id } })).toMatchObject(none);
    expect(await admin.client.try(tokenAdminApi.update, { params: { id }, body: { status: 2 } })).toMatchObject(none);
    expect(await give(id, ann.id)).toMatchObject(none);
    for (const to of [peer.id, 1])
      expect(await give(own, to)).toMatchObject({ status: 403, body: { code: 'user.rank', field: 'user_id' } });
    expect(await rowOf(own)).toMatchObject({ user_id: ann.id });
    expect((await chat(hub(), key)).status).toBe(200);
    const { root } = hub();
    expect(await root.call(tokenAdminApi.get, { params: { id } })).toMatchObject({ username: peer.username });
    expect((await root.try(tokenAdminApi.update, { params: { id }, body: { status: 2 } })).status).toBe(200);
    expect((await chat(hub(), key)).status).toBe(401);
  });

  test('are limited and disabled at once, within the ceilings of the owner’s group, and audited without the key', async () => {
    const { id, key } = await tokenOf(ann.client);
    expect((await chat(hub(), key)).status).toBe(200);
    const caps = [{ measure: 'requests' as const, period: 'day' as const, amount: 1 }];
    const edit = (body: object) => admin.client.try(tokenAdminApi.update, { params: { id }, body });
    expect(await edit({ limits: { caps } })).toMatchObject({ status: 200, body: { data: { limits: { caps } } } });
    expect((await chat(hub(), key)).status).toBe(200);
    expect((await chat(hub(), key)).status).toBe(429);
    expect(await edit({ status: 2, name: 'renamed', tag: 'planted', user_id: 1 })).toMatchObject({ status: 200 });
    expect(await rowOf(id)).toMatchObject({ status: 2, name: 'test', tag: '', user_id: ann.id });
    expect((await chat(hub(), key)).status).toBe(401);
    const groups = (await hub().root.call(userGroupApi.list, { query: { size: 100 } })).data;
    const group = groups.find(({ symbol }) => symbol === 'default')!;
    const ceiling = (ceilings: typeof caps) =>
      hub().root.call(userGroupApi.update, { body: { ...group, token_limits: { ceilings } } });
    await ceiling([{ ...caps[0]!, amount: 5 }]);
    expect(await edit({ limits: { caps: [{ ...caps[0]!, amount: 6 }] } })).toMatchObject({
      status: 400,
      body: { code: 'token.ceiling' },
    });
    await ceiling([]);
    const { data } = await hub().root.call(auditApi.list, { query: { size: 100 } });
    const entries = data.filter(({ path }) => path === tokenAdminApi.update.path);
    expect(entries[0]).toMatchObject({ kind: 'token', object_id: String(id), actor_name: admin.username });
    const detail = await hub().root.call(auditApi.get, {
      params: { id: entries.find(({ status }) => status === 200)!.id },
    });
    expect(detail).toMatchObject({ before: { status: 1 }, after: { status: 2 } });
    const stored = await hub().server.deps.db.selectFrom('audit').selectAll().execute();
    const { key_hash, key_cipher } = await rowOf(id);
    for (const secret of [key.slice(3, 30), key_hash, key_cipher]) expect(JSON.stringify(stored)).not.toContain(secret);
  });

  test('are transferred: later calls are the new owner’s, the key stays, and only its owner reveals it', async () => {
    const { id, key } = await tokenOf(ann.client, { name: 'moved', unlimited_quota: false, remain_quota: 1_000_000 });
    expect((await chat(hub(), key)).status).toBe(200);
    const before = (await log(ann.id)).length;
    const theirs = (await log(bob.id)).length;
    const { body } = await give(id, bob.id);
    expect(body).toMatchObject({ success: true, data: { user_id: bob.id, username: bob.username } });
    expect((await chat(hub(), key)).status).toBe(200);
    expect(await log(ann.id)).toHaveLength(before);
    expect(await log(bob.id)).toHaveLength(theirs + 1);
    expect(await ann.client.try(tokenApi.get, { params: { id } })).toMatchObject(none);
    expect(await bob.client.call(tokenApi.reveal, { params: { id } })).toEqual({ key });
    expect(await give(id, bob.id)).toMatchObject({ status: 409, body: { code: 'token.same_owner' } });
    const off = await addAccount(hub(), { status: userStatus.disabled });
    expect(await give(id, off.id)).toMatchObject({ status: 409, body: { code: 'token.owner_disabled' } });
    expect((await give(id, 987_654)).status).toBe(404);
    await expectBooksBalance(hub().server.deps.db);
  });

  test('drop a group that the new owner may not use', async () => {
    const { root } = hub();
    const vip = await root.call(userGroupApi.create, { body: { symbol: 'ours', name: 'ours', public: true } });
    const { id } = await tokenOf(ann.client, { group: 'ours' });
    await root.call(userGroupApi.update, { body: { id: vip.id, name: 'ours', ratio: 1, api_rate: 0, public: false } });
    expect((await give(id, bob.id)).status).toBe(200);
    expect(await rowOf(id)).toMatchObject({ group: '', user_id: bob.id });
  });

  test('lose no credit when they are transferred back and forth while calls run', async () => {
    const { db } = hub().server.deps;
    const { id, key } = await tokenOf(ann.client, { unlimited_quota: false, remain_quota: 1_000_000 });
    const calls = Array.from({ length: 12 }, () => chat(hub(), key, 'gpt-4o-mini'));
    // Open calls hold credits of the token, which go with it.
    await expect.poll(async () => (await rowOf(id)).held, { message: 'credits held by the token' }).toBeGreaterThan(0);
    for (const to of [bob.id, ann.id, bob.id]) {
      expect((await give(id, to)).status).toBe(200);
      calls.push(chat(hub(), key, 'gpt-4o-mini'));
    }
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200));
    const { remain_quota, used_quota } = await quotaOf(db, { tokenId: id });
    expect(used_quota).toBeGreaterThan(0);
    expect(remain_quota + used_quota).toBe(1_000_000);
    const paid = async (userId: number) =>
      (await log(userId)).filter(({ token_id }) => token_id === id).reduce((sum, { quota }) => sum + quota, 0);
    expect((await paid(ann.id)) + (await paid(bob.id))).toBe(used_quota);
    expect(await paid(bob.id)).toBeGreaterThan(0);
    await expectBooksBalance(db);
    const leases = await db.selectFrom('leases').where('token_id', '=', id).select('user_id').distinct().execute();
    expect(leases.every(({ user_id }) => user_id === bob.id)).toBe(true);
  });
});
