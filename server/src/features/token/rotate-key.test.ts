import type { Token } from '@relay-hub/contract';
import { profileApi, tokenApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chat, tokenOf } from '#testing/chat.ts';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import { addChannel, startHub, type TestHub, upstreamForSuite } from '#testing/hub.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { pruneRepeated } from './repeated-request.ts';

const none = { status: 404, body: { success: false, code: 'record.not_found', field: 'id' } };
const DAY_S = 86_400;

onEveryDatabase('rotation of a token', (make) => {
  const upstream = upstreamForSuite();
  let database: EmptyDatabase;
  let hub: TestHub;
  let owner: TestPerson;
  let other: TestPerson;
  beforeAll(async () => {
    database = await make();
    hub = await startHub(database);
    owner = await addPerson(hub, { quota: 10_000_000 });
    other = await addPerson(hub);
    await addChannel(hub, upstream().url);
  }, 60_000);
  afterAll(async () => {
    await hub?.close();
    await database?.remove();
  });

  const now = () => Math.floor(Date.now() / 1000);
  const rotate = (id: number, body = {}, client = owner.client) =>
    client.call(tokenApi.rotate, { params: { id }, body });
  const statusOf = async (key: string, at: TestHub = hub) => (await chat(at, key)).status;
  /** Sends a request with an `Idempotency-Key`. */
  const repeatable = (path: string, key: string, body: object, client = owner.client) =>
    client.send<{ token: Token; key: string }>('POST', path, body, { 'idempotency-key': key });

  test('gives a new key now; the old one works until its time to the second', async () => {
    const { id, key } = await tokenOf(owner.client);
    expect(await statusOf(key)).toBe(200);
    const rotated = await rotate(id, { old_key_seconds: 3600 });
    expect(rotated.key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
    expect(rotated.key).not.toBe(key);
    expect(rotated.token).toMatchObject({ key: `••••••••${rotated.key.slice(-4)}`, used_quota: expect.any(Number) });
    const { old_key: old } = rotated.token;
    expect(old?.key).toBe(`••••••••${key.slice(-4)}`);
    expect(await owner.client.call(tokenApi.reveal, { params: { id } })).toEqual({ key: rotated.key });
    expect([await statusOf(rotated.key), await statusOf(key)]).toEqual([200, 200]);
    const info = await fetch(`${hub.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
    expect(await info.json()).toMatchObject({ expires_at: old!.valid_until });
    // Both callers are cached; the clock alone ends the old key.
    const { deps } = hub.server;
    const clock = deps.now;
    deps.now = () => old!.valid_until - 1;
    expect(await statusOf(key)).toBe(200);
    deps.now = () => old!.valid_until;
    const ended = await chat(hub, key);
    expect(await statusOf(rotated.key)).toBe(200);
    deps.now = clock;
    expect(ended.status).toBe(401);
    expect(ended.text).toContain('was replaced by a new one');
  });

  test('shows the last use of both keys, by time and address', async () => {
    const { id, key } = await tokenOf(owner.client);
    expect(await owner.client.call(tokenApi.get, { params: { id } })).toMatchObject({
      key_used_time: 0,
      key_used_ip: '',
      old_key: null,
      rotated_time: 0,
    });
    await chat(hub, key);
    const { token } = await rotate(id, { old_key_seconds: 60 });
    expect(token).toMatchObject({ key_used_time: 0, key_used_ip: '', old_key: { used_ip: '127.0.0.1' } });
    expect(Math.abs(token.rotated_time - now())).toBeLessThan(60);
    expect(Math.abs(token.old_key!.used_time - now())).toBeLessThan(60);
    await chat(hub, (await owner.client.call(tokenApi.reveal, { params: { id } })).key);
    const used = (await owner.client.call(tokenApi.list, { query: { size: 100 } })).data.find((one) => one.id === id)!;
    expect(used.key_used_ip).toBe('127.0.0.1');
    expect(used.key_used_time).toBeGreaterThan(0);
  });

  test('a further rotation ends the oldest key, and the old one can be revoked at once', async () => {
    const { id, key: first } = await tokenOf(owner.client);
    const { key: second } = await rotate(id, { old_key_seconds: 3600 });
    const { key: third } = await rotate(id, { old_key_until: now() + 7 * DAY_S });
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 200, 200]);
    const token = await owner.client.call(tokenApi.revokeOldKey, { params: { id } });
    expect(token.old_key!.valid_until).toBeLessThanOrEqual(now());
    expect([await statusOf(second), await statusOf(third)]).toEqual([401, 200]);
    const { key: fourth } = await rotate(id);
    expect([await statusOf(third), await statusOf(fourth)]).toEqual([401, 200]);
  });

  test.each([
    [{ old_key_seconds: -1 }, 'input.invalid'],
    [{ old_key_seconds: 30 * DAY_S + 1 }, 'input.invalid'],
    [{ old_key_seconds: 1.5 }, 'input.invalid'],
    [{ old_key_until: 1_000_000_000 }, 'token.overlap'],
    [{ old_key_until: 32_503_680_000 }, 'token.overlap'],
    [{ old_key_until: Math.floor(Date.now() / 1000) + DAY_S, old_key_seconds: 60 }, 'token.overlap'],
  ])('%o is refused and changes nothing', async (body, code) => {
    const { id, key } = await tokenOf(owner.client);
    expect(await owner.client.try(tokenApi.rotate, { params: { id }, body })).toMatchObject({
      status: 400,
      body: { code },
    });
    expect(await owner.client.call(tokenApi.reveal, { params: { id } })).toEqual({ key });
    expect(await statusOf(key)).toBe(200);
  });

  test('tokens of other users can be neither rotated nor revoked', async () => {
    const { id, key } = await tokenOf(owner.client);
    for (const client of [other.client, hub.root]) {
      expect(await client.try(tokenApi.rotate, { params: { id }, body: {} })).toMatchObject(none);
      expect(await client.try(tokenApi.revokeOldKey, { params: { id } })).toMatchObject(none);
    }
    expect(await statusOf(key)).toBe(200);
  });

  test('the new key is stored hashed and encrypted, the old one only hashed', async () => {
    const { id, key } = await tokenOf(owner.client);
    const { key: next } = await rotate(id, { old_key_seconds: 60 });
    const { db } = hub.server.deps;
    const rows = await Promise.all([
      db.selectFrom('tokens').selectAll().where('id', '=', id).execute(),
      db.selectFrom('token_old_keys').selectAll().where('token_id', '=', id).execute(),
      db.selectFrom('key_uses').selectAll().execute(),
    ]);
    for (const secret of [key, next]) expect(JSON.stringify(rows)).not.toContain(secret.slice(3, 40));
    expect(rows[0]).toHaveLength(1);
    expect(rows[1]).toHaveLength(1);
  });

  test('calls on two nodes go on through a rotation, and end on both with a revocation', async () => {
    const second = await startHub(database);
    try {
      const { id, key } = await tokenOf(owner.client);
      let newest = key;
      const done: number[] = [];
      const caller = async () => {
        for (let i = 0; i < 12; i++) done.push(await statusOf(newest, i % 2 ? hub : second));
      };
      const rotator = async () => {
        newest = (await rotate(id, { old_key_seconds: 3600 })).key;
      };
      // A program that uses the newest key it knows loses no call.
      await Promise.all([caller(), caller(), rotator()]);
      expect(done).toEqual(Array(24).fill(200));
      // A revocation is in force on the other node within its poll.
      const { key: last } = await rotate(id, { old_key_seconds: 3600 });
      expect(await statusOf(newest, second)).toBe(200);
      await owner.client.call(tokenApi.revokeOldKey, { params: { id } });
      await expect.poll(() => statusOf(newest, second), { message: 'status of a call with the second key' }).toBe(401);
      expect(await statusOf(last, second)).toBe(200);
    } finally {
      await second.close();
    }
  });

  test('racing rotations leave one key and at most one old one', async () => {
    const { id, key } = await tokenOf(owner.client);
    const keys = await Promise.all(
      Array.from({ length: 8 }, async () => (await rotate(id, { old_key_seconds: 60 })).key),
    );
    expect(new Set(keys).size).toBe(8);
    const statuses = await Promise.all([key, ...keys].map((one) => statusOf(one)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  });

  test('a repeated creation returns the same token, however many race', async () => {
    const body = { name: 'ci', unlimited_quota: true, metadata: { run: 7 } };
    const made = await Promise.all(Array.from({ length: 6 }, () => repeatable('/api/token/', 'create-1', body)));
    expect(made.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const all = made.map((one) => (one.body as { data: { token: Token; key: string } }).data);
    expect(new Set(all.map(({ key }) => key)).size).toBe(1);
    expect(new Set(all.map(({ token }) => token.id)).size).toBe(1);
    expect(made.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(5);
    expect(await statusOf(all[0]!.key)).toBe(200);
    const reused = { status: 422, body: { code: 'idempotency.reused' } };
    expect(await repeatable('/api/token/', 'create-1', { ...body, name: 'cd' })).toMatchObject(reused);
    expect(await repeatable(`/api/token/${all[0]!.token.id}/rotate`, 'create-1', {})).toMatchObject(reused);
    // The key is the user's own: another user's is another one.
    const theirs = await repeatable('/api/token/', 'create-1', body, other.client);
    expect((theirs.body as { data: { key: string } }).data.key).not.toBe(all[0]!.key);
    const stored = await hub.server.deps.db.selectFrom('repeated_requests').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(all[0]!.key.slice(3, 40));
  });

  test('a repeated rotation returns the same key; a refused request can be corrected under its key', async () => {
    const { id, key } = await tokenOf(owner.client);
    const path = `/api/token/${id}/rotate`;
    expect(await repeatable(path, 'rotate-1', { old_key_until: 1 })).toMatchObject({ status: 400 });
    const body = { old_key_seconds: 3600 };
    const [a, b] = await Promise.all([repeatable(path, 'rotate-1', body), repeatable(path, 'rotate-1', body)]);
    expect(a.status).toBe(200);
    expect(a.body).toEqual(b.body);
    const { data } = a.body as { data: { key: string } };
    expect([await statusOf(key), await statusOf(data.key)]).toEqual([200, 200]);
    for (const bad of ['', 'with space', 'x'.repeat(256)])
      expect(await repeatable(path, bad, body)).toMatchObject({ status: 400, body: { code: 'idempotency.key' } });
  });

  test('a day later the same header makes another token, and the stored reply is removed', async () => {
    const { db } = hub.server.deps;
    const keyOf = async () =>
      ((await repeatable('/api/token/', 'old', { name: 'x' })).body as { data: { key: string } }).data.key;
    const first = await keyOf();
    await db
      .updateTable('repeated_requests')
      .set((eb) => ({ created_time: eb('created_time', '-', DAY_S) }))
      .execute();
    const again = await keyOf();
    expect(again).not.toBe(first);
    await pruneRepeated(db, now());
    const left = await db.selectFrom('repeated_requests').selectAll().execute();
    expect(left).toHaveLength(1);
  });

  test('the days of reminders are the user’s, between 0 and 90', async () => {
    await other.client.call(profileApi.update, { body: { expiry_mail_days: 30 } });
    expect((await other.client.call(profileApi.security)).expiry_mail_days).toBe(30);
    for (const expiry_mail_days of [-1, 91, 1.5])
      expect((await other.client.try(profileApi.update, { body: { expiry_mail_days } })).status).toBe(400);
  });
});
