import type { InputOf, Redemption } from '@relay-hub/contract';
import { redemptionApi, redemptionColumns } from '@relay-hub/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { fingerprint } from '#secrets.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import type { ApiClient } from '#testing/hub.ts';
import { hubForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';

const CODE = /^[0-9a-f]{32}$/;
const none = { status: 404, body: { success: false, code: 'record.not_found', field: 'id' } };

onEveryDatabase('redemption codes', (make) => {
  const hub = hubForSuite(make);
  let admin: TestPerson;
  let holder: TestPerson;

  beforeAll(async () => {
    admin = await addPerson(hub(), { role: 10 });
    holder = await addPerson(hub());
  });

  const create = (body: InputOf<typeof redemptionApi.create>['body'], client: ApiClient = hub().root) =>
    client.call(redemptionApi.create, { body });
  const find = async (code: string): Promise<Redemption> =>
    (await hub().root.call(redemptionApi.list, { query: { keyword: code } })).data[0]!;
  const count = async () => (await hub().root.call(redemptionApi.list)).total_count;
  const made = async (more: object = {}) => {
    const [code] = await create({ name: 'one', quota: 500, ...more });
    return { ...(await find(code!)), code: code! };
  };

  describe('creating', () => {
    test('answers the codes once; lists and reads show their ends', async () => {
      const { headers, body } = await admin.client.try(redemptionApi.create, {
        body: { name: '  开学季  ', quota: 2500, count: 3 },
      });
      expect(headers.get('cache-control')).toBe('no-store');
      const codes = (body as { data: string[] }).data;
      expect(new Set(codes).size).toBe(3);
      for (const code of codes) {
        expect(code).toMatch(CODE);
        expect(await find(code)).toMatchObject({
          user_id: admin.id,
          username: admin.username,
          key: `${code.slice(0, 4)}••••••••${code.slice(-4)}`,
          name: '开学季',
          quota: 2500,
          status: 1,
          expired_time: -1,
          redeemed_time: 0,
          redeemed_user_id: 0,
          redeemed_username: '',
        });
      }
      const { id } = await find(codes[0]!);
      for (const path of ['/api/redemption/?size=100', `/api/redemption/${id}`])
        expect(JSON.stringify((await admin.client.send('GET', path)).body)).not.toContain(codes[0]!.slice(4, 12));
    });

    test('stores them hashed and encrypted, not in clear', async () => {
      const { id, code } = await made();
      const { db, secrets } = hub().server.deps;
      const row = await db.selectFrom('redemptions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      expect(JSON.stringify(row)).not.toContain(code.slice(4, 28));
      expect(row.key_hash).toBe(fingerprint(code));
      expect(secrets.decrypt(row.key_cipher)).toBe(code);
    });

    test('is all or nothing', async () => {
      const { db } = hub().server.deps;
      // With a hundred hashes, two share one of 64 first characters, so an insert in the middle fails.
      await sql`create unique index refused on redemptions (substr(key_hash, 1, 1)) where name = 'refused'`.execute(db);
      const before = await count();
      const answer = await hub().root.try(redemptionApi.create, { body: { name: 'refused', quota: 1, count: 100 } });
      expect(answer).toMatchObject({ status: 500, body: { success: false } });
      expect(await count()).toBe(before);
      expect(await create({ name: 'allowed', quota: 1, count: 100 })).toHaveLength(100);
      expect(await count()).toBe(before + 100);
      await sql`drop index refused`.execute(db);
    });

    test('leaves fields that callers may not write unchanged', async () => {
      const planted = { id: 987_654, user_id: holder.id, status: 3, key: 'chosen', redeemed_user_id: holder.id };
      const answer = await admin.client.send<string[]>('POST', '/api/redemption/', {
        name: 'planted',
        quota: 1,
        ...planted,
      });
      const [code] = (answer.body as { data: string[] }).data;
      expect(await find(code!)).toMatchObject({ user_id: admin.id, status: 1, redeemed_user_id: 0 });
      expect(code).toMatch(CODE);
    });
  });

  test('the creator of a code can reveal it', async () => {
    const { id, code } = await made();
    const { headers, body } = await admin.client.try(redemptionApi.reveal, { params: { id } });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({ success: true, message: '', data: { key: code } });
  });

  describe('changing', () => {
    test('name, quota and expiry', async () => {
      const { id, code: _, ...before } = await made();
      const change = { name: 'other', quota: 7, expired_time: 2_000_000_000 };
      expect(await admin.client.call(redemptionApi.update, { body: { id, ...change } })).toEqual({
        id,
        ...before,
        ...change,
      });
    });

    test('status_only writes the status and nothing else', async () => {
      const { id, code: _, ...before } = await made();
      const query = { status_only: 'true' };
      expect(
        await admin.client.call(redemptionApi.update, { query, body: { id, status: 2, name: 'x', quota: 9 } }),
      ).toEqual({ id, ...before, status: 2 });
      expect(await admin.client.call(redemptionApi.update, { query, body: { id, status: 1 } })).toMatchObject({
        status: 1,
      });
    });

    test('a redeemed code is closed', async () => {
      const { id, code } = await made();
      await holder.client.call(redemptionApi.redeem, { body: { key: code } });
      const before = await find(code);
      for (const [query, body] of [
        [{}, { id, name: 'x' }],
        [{}, { id, quota: 1 }],
        [{}, { id }],
        [{ status_only: '1' }, { id, status: 1 }],
        [{ status_only: '1' }, { id, status: 2 }],
      ] as const)
        expect(await admin.client.try(redemptionApi.update, { query, body })).toMatchObject({
          status: 409,
          body: { code: 'redemption.closed' },
        });
      expect(await find(code)).toEqual(before);
    });

    test('one whose time is over is switched on by giving it time', async () => {
      const { id } = await made();
      const { db, now } = hub().server.deps;
      await db.updateTable('redemptions').set({ expired_time: now(), status: 2 }).where('id', '=', id).execute();
      const enable = () =>
        admin.client.try(redemptionApi.update, { query: { status_only: '1' }, body: { id, status: 1 } });
      expect(await enable()).toMatchObject({ status: 400, body: { code: 'redemption.expiry_past' } });
      expect(await admin.client.call(redemptionApi.update, { body: { id, name: 'still' } })).toMatchObject({
        name: 'still',
      });
      await admin.client.call(redemptionApi.update, { body: { id, expired_time: 0 } });
      expect(await enable()).toMatchObject({ status: 200, body: { data: { status: 1, expired_time: -1 } } });
    });
  });

  describe('deleting', () => {
    test('one, and taking it back', async () => {
      const { id, code, ...row } = await made();
      await admin.client.call(redemptionApi.remove, { params: { id } });
      for (const endpoint of [redemptionApi.get, redemptionApi.reveal, redemptionApi.remove] as const)
        expect(await admin.client.try(endpoint, { params: { id } })).toMatchObject(none);
      expect(await admin.client.try(redemptionApi.update, { body: { id, name: 'x' } })).toMatchObject(none);
      expect(await find(code)).toBeUndefined();
      expect(await admin.client.call(redemptionApi.restore, { params: { id } })).toEqual({ id, ...row });
      expect(await find(code)).toEqual({ id, ...row });
      expect(await admin.client.try(redemptionApi.restore, { params: { id } })).toMatchObject(none);
    });

    test('deletes all codes that cannot be redeemed, by kind', async () => {
      const { db, now } = hub().server.deps;
      await db.deleteFrom('redemptions').execute();
      const [open, used, off, over] = [await made(), await made(), await made(), await made()];
      await holder.client.call(redemptionApi.redeem, { body: { key: used.code } });
      await admin.client.call(redemptionApi.update, { query: { status_only: '1' }, body: { id: off.id, status: 2 } });
      await db.updateTable('redemptions').set({ expired_time: now() }).where('id', '=', over.id).execute();
      const sum = { count: 1, quota: 500 };
      expect(await admin.client.call(redemptionApi.totals)).toEqual({
        unredeemed: sum,
        redeemed: sum,
        disabled: sum,
        expired: sum,
      });
      const left = async () => (await admin.client.call(redemptionApi.list)).data.map(({ id }) => id);
      const clear = (statuses: string) => admin.client.call(redemptionApi.removeInvalid, { query: { statuses } });
      expect(await clear('4')).toBe(1);
      expect(await left()).toEqual([off.id, used.id, open.id]);
      expect(await clear('2,3')).toBe(2);
      expect(await clear('2,3,4')).toBe(0);
      expect(await left()).toEqual([open.id]);
      // Redeemed codes stay in the statistics.
      const redeemed = await db
        .selectFrom('redemptions')
        .where('redeemed_time', '>', 0)
        .select(['quota', 'redeemed_user_id'])
        .execute();
      expect(redeemed).toEqual([{ quota: 500, redeemed_user_id: holder.id }]);
    });

    test.each(['', '1', '1,2', '2,', 'all', '5'])('not by the statuses %o', async (statuses) => {
      const before = await count();
      expect(await admin.client.send('DELETE', `/api/redemption/invalid?statuses=${statuses}`)).toMatchObject({
        status: 400,
        body: { field: 'statuses' },
      });
      expect(await count()).toBe(before);
    });
  });

  describe('the list', () => {
    let rows: (Redemption & { code: string })[];
    const names = async (query: object): Promise<string[]> =>
      (await admin.client.call(redemptionApi.list, { query: { order: 'id', ...query } })).data.map(({ name }) => name);

    beforeAll(async () => {
      const { db, now } = hub().server.deps;
      await db.deleteFrom('redemptions').execute();
      rows = [];
      for (const name of ['Alpha', 'beta', 'be_a', '100%']) rows.push(await made({ name }));
      await create({ name: 'admins', quota: 2 }, admin.client);
      const [alpha, beta, bea, percent] = rows.map(({ id }) => id) as [number, number, number, number];
      await holder.client.call(redemptionApi.redeem, { body: { key: rows[0]!.code } });
      await db.updateTable('redemptions').set({ status: 2, created_time: 1000 }).where('id', '=', beta).execute();
      await db
        .updateTable('redemptions')
        .set({ expired_time: now() - 1, created_time: 2000 })
        .where('id', '=', bea)
        .execute();
      await db
        .updateTable('redemptions')
        .set({ expired_time: now() + 1000 })
        .where('id', 'in', [alpha, percent])
        .execute();
    });

    test.each<[object, string[]]>([
      [{}, ['Alpha', 'beta', 'be_a', '100%', 'admins']],
      [{ keyword: 'ALP' }, ['Alpha']],
      [{ keyword: 'lpha' }, []],
      [{ keyword: 'be_' }, ['be_a']],
      [{ keyword: '%' }, []],
      [{ keyword: '100%' }, ['100%']],
      [{ status: 1 }, ['100%', 'admins']],
      [{ status: 2 }, ['beta']],
      [{ status: 3 }, ['Alpha']],
      [{ status: 4 }, ['be_a']],
      [{ created_by: 'root', size: 2, page: 2 }, ['be_a', '100%']],
      [{ created_by: 'nobody' }, []],
      [{ start_timestamp: 1000, end_timestamp: 2000 }, ['beta', 'be_a']],
      [{ start_timestamp: 1001, end_timestamp: 1999 }, []],
      [{ keyword: 'be', status: 2 }, ['beta']],
    ])('%o finds %o', async (query, expected) => {
      expect(await names(query)).toEqual(expected);
    });

    test('finds codes by who made them, who redeemed them, their id and their mask', async () => {
      expect(await names({ created_by: admin.username })).toEqual(['admins']);
      expect(await names({ redeemed_by: holder.username })).toEqual(['Alpha']);
      const { id, key, code } = rows[1]!;
      for (const keyword of [id, `#${id}`, key, code, code.toUpperCase()])
        expect(await names({ keyword })).toEqual(['beta']);
    });

    test.each(redemptionColumns)('can be ordered by %s, both ways', async (column) => {
      expect(await names({ order: `-${column}` })).toEqual((await names({ order: column })).toReversed());
    });

    test('totals follow the filter', async () => {
      const zero = { count: 0, quota: 0 };
      expect(await admin.client.call(redemptionApi.totals, { query: { keyword: 'be' } })).toEqual({
        unredeemed: zero,
        redeemed: zero,
        disabled: { count: 1, quota: 500 },
        expired: { count: 1, quota: 500 },
      });
    });

    test('totals beyond what can be counted do not spoil the page', async () => {
      await create({ name: 'huge', quota: 1_000_000_000_000_000, count: 10 });
      const { unredeemed } = await admin.client.call(redemptionApi.totals, { query: { keyword: 'huge' } });
      expect(unredeemed).toEqual({ count: 10, quota: Number.MAX_SAFE_INTEGER });
    });
  });
});
