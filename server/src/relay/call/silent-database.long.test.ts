import { noLimits } from '@relay-hub/contract';
import { describe, expect, inject, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { newPostgres } from '#testing/databases.ts';
import { addChannel, startHub, type TestHub, upstreamForSuite } from '#testing/hub.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';
import { type Tunnel, tunnelTo } from '#testing/network/tunnel.ts';

interface Silent {
  hub: TestHub;
  tunnel: Tunnel;
  /** Past the tunnel. */
  direct: Storage;
}

/** Only a PostgreSQL connection can fall silent. */
const postgres = inject('postgresUrl');

describe.skipIf(postgres === '')('silent database', () => {
  const make = newPostgres;
  const upstream = upstreamForSuite();

  /** A hub behind a tunnel, with a channel. */
  async function behindTunnel(
    work: (silent: Silent) => Promise<void>,
    env: Record<string, string> = {},
  ): Promise<void> {
    const database = await make();
    const tunnel = await tunnelTo(database.databaseUrl!);
    const direct = openStorage(database);
    const hub = await startHub({ ...database, databaseUrl: tunnel.url }, env);
    try {
      await addChannel(hub, upstream().url);
      upstream().behaviour = {};
      await work({ hub, tunnel, direct });
    } finally {
      tunnel.hear();
      await hub.close();
      await direct.close();
      tunnel.close();
      await database.remove();
    }
  }

  test('calls and pages are refused in time while it lasts, and all goes on by itself after it', async () => {
    await behindTunnel(async ({ hub, tunnel, direct }) => {
      const leased = await addCaller(direct.db);
      const unknown = await Promise.all(Array.from({ length: 5 }, () => addCaller(direct.db)));
      expect((await post(hub, leased.key, hello)).status).toBe(200);
      tunnel.goDeaf();
      // Without timeouts these would wait for the end of the silence.
      const [ready, page, ...refused] = await Promise.all([
        fetch(`${hub.url}/readyz`),
        fetch(`${hub.url}/api/user/self`, { headers: { cookie: hub.root.cookie } }),
        ...unknown.map(({ key }) => post(hub, key, hello)),
      ]);
      expect([ready.status, await ready.json()]).toEqual([200, { status: 'database does not answer' }]);
      expect([page.status, await page.json()]).toMatchObject([503, { success: false, code: 'database.away' }]);
      for (const answer of refused) {
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('5');
        expect(errorOf(answer).code).toBe('database_unavailable');
      }
      tunnel.hear();
      for (const { key } of [leased, ...unknown])
        await expect
          .poll(async () => (await post(hub, key, hello)).status, { timeout: 60_000, message: 'status of a call' })
          .toBe(200);
      await expect
        .poll(() => hub.server.deps.book.waiting, { timeout: 60_000, message: 'settlements not written' })
        .toBe(0);
      expect(await rowsOf(direct.db, leased)).toHaveLength(2);
      await expectBooksBalance(direct.db);
    });
  }, 240_000);

  test.each(['hears', 'does not hear'] as const)(
    'a batch whose commit is not answered is in the books once: the database %s it',
    async (hears) => {
      await behindTunnel(async ({ hub, tunnel, direct }) => {
        const who = await addCaller(direct.db);
        upstream().behaviour = { delayMs: 1_000 };
        const before = upstream().requests.total;
        const open = Array.from({ length: 8 }, () => post(hub, who.key, hello));
        // All are admitted, without asking the database again.
        await upstream().requests.waitFor(() => upstream().requests.total === before + 8);
        tunnel.goDeafAt('commit', hears);
        const calls = await Promise.all(open);
        expect(calls.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
        await expect.poll(tunnel.isDeaf, { timeout: 60_000, message: 'the commit was sent' }).toBe(true);
        await expect
          .poll(tunnel.givenUp, { timeout: 60_000, message: 'connections that were given up' })
          .toBeGreaterThan(0);
        tunnel.hear();
        await expect
          .poll(() => hub.server.deps.book.waiting, { timeout: 60_000, message: 'settlements not written' })
          .toBe(0);
        expect(await rowsOf(direct.db, who)).toHaveLength(8);
        await expectBooksBalance(direct.db);
      });
    },
    240_000,
  );

  test('credits that were given without anybody hearing of it come back', async () => {
    await behindTunnel(
      async ({ hub, tunnel, direct }) => {
        const who = await addCaller(direct.db);
        // The key is cached, so the first query is the one for credits.
        await hub.server.deps.live.callers.find(who.key.slice(3));
        tunnel.goDeafAt('commit', 'hears');
        const refused = await post(hub, who.key, hello);
        expect(errorOf(refused).code).toBe('database_unavailable');
        expect((await fetch(`${hub.url}/readyz`)).status).toBe(503);
        const held = async () =>
          (await direct.db.selectFrom('users').where('id', '=', who.userId).select('held').executeTakeFirstOrThrow())
            .held;
        expect(await held()).toBeGreaterThan(0);
        tunnel.hear();
        await expect.poll(held, { timeout: 60_000, message: 'credits held' }).toBe(0);
        await expectBooksBalance(direct.db);
      },
      { DATABASE_GRACE: '0' },
    );
  }, 240_000);

  test('known keys go on by their credit lines, whether it is silent or restarts, and are charged once it is back', async () => {
    await behindTunnel(async ({ hub, tunnel, direct }) => {
      const rich = await addCaller(direct.db);
      // A token with its own quota, and one with limits.
      const limited = await addCaller(direct.db, { remain: 500_000 });
      const capped = await addCaller(direct.db);
      const caps = [{ measure: 'requests', period: 'day', amount: 1_000 }];
      await direct.db
        .updateTable('tokens')
        .set({ limits: JSON.stringify({ ...noLimits, caps }) })
        .where('id', '=', capped.tokenId)
        .execute();
      const empty = await addCaller(direct.db, { quota: 0 });
      const callers = [rich, limited, capped];
      const body = { ...hello, max_tokens: 100 };
      const call = async ({ key }: TestCaller) => (await post(hub, key, body)).status;
      expect(await Promise.all(callers.map(call))).toEqual([200, 200, 200]);
      expect(await call(empty)).toBe(402);
      const leased = () => direct.db.selectFrom('leases').selectAll().execute();
      await expect.poll(leased, { timeout: 30_000, message: 'idle leases that are returned' }).toEqual([]);

      const rounds = 3;
      for (const away of ['silent', 'restarting'] as const) {
        if (away === 'silent') tunnel.goDeaf();
        else tunnel.refuse();
        for (let round = 0; round < rounds; round++)
          expect(await Promise.all(callers.map(call)), away).toEqual([200, 200, 200]);
        // Their last answer was a refusal.
        expect(await call(empty), away).toBe(503);
        tunnel.hear();
        await expect
          .poll(() => hub.server.deps.book.waiting, { timeout: 60_000, message: 'settlements not written' })
          .toBe(0);
      }
      for (const who of callers) {
        const rows = await rowsOf(direct.db, who);
        expect(rows).toHaveLength(1 + 2 * rounds);
        expect(new Set(rows.map(({ quota }) => quota)).size).toBe(1);
        expect(rows[0]!.quota).toBeGreaterThan(0);
      }
      const counters = direct.db.selectFrom('limit_counters').where('token_id', '=', capped.tokenId);
      expect(await counters.select(['used', 'held']).execute()).toEqual([{ used: 1 + 2 * rounds, held: 0 }]);
      await expectBooksBalance(direct.db);
    });
  }, 240_000);

  test('a shutdown during the outage ends, and the next start charges what is owed', async () => {
    const database = await make();
    const tunnel = await tunnelTo(database.databaseUrl!);
    const direct = openStorage(database);
    const hub = await startHub({ ...database, databaseUrl: tunnel.url });
    try {
      await addChannel(hub, upstream().url);
      upstream().behaviour = { delayMs: 500 };
      const who = await addCaller(direct.db);
      const before = upstream().requests.total;
      const open = post(hub, who.key, hello);
      await upstream().requests.waitFor(() => upstream().requests.total === before + 1);
      tunnel.goDeaf();
      expect((await open).status).toBe(200);
      await hub.close();
      expect(await rowsOf(direct.db, who)).toEqual([]);
      tunnel.breakAll();
      const next = await startHub(database);
      expect(await rowsOf(direct.db, who)).toMatchObject([{ failed: false }]);
      await expectBooksBalance(direct.db);
      await next.close();
    } finally {
      await direct.close();
      tunnel.close();
      await database.remove();
    }
  }, 240_000);
});
