import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemApi } from '@relay-hub/contract';
import { type Kysely, sql } from 'kysely';
import { describe, expect, inject, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller } from '#testing/callers.ts';
import { newPostgres } from '#testing/databases.ts';
import { addChannel, liftRates } from '#testing/hub.ts';
import { hasNginx, startNginx } from '#testing/network/nginx.ts';
import { startProcess } from '#testing/process.ts';
import { freePort } from '#testing/postgres-for-tests.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { startUpstream } from '#upstream-simulator/start-upstream.ts';

const CLIENTS = 48;
/** The server with steps of the database that this version does not have. */
const nextVersion = fileURLToPath(new URL('../../../testing/next-version.ts', import.meta.url));

const postgres = inject('postgresUrl');

describe.skipIf(postgres === '' || !hasNginx())('rolling restart', () => {
  const restarts: { what: string; programs: (string | undefined)[] }[] = [
    { what: 'two nodes behind nginx with kept connections', programs: [undefined, undefined, undefined, undefined] },
    { what: 'an upgrade of them to a version that changes the database', programs: [nextVersion, nextVersion] },
  ];

  test.each(restarts)(
    'of $what: no call fails',
    async ({ programs }) => {
      const database = await newPostgres();
      // Six-second streams, so that some are open at every moment of a stop.
      const upstream = await startUpstream({ behaviour: { chunks: 24, chunkMs: 250 } });
      const ports = [await freePort(), await freePort()];
      const start = (port: number, program?: string) =>
        startProcess(database, { PORT: String(port), DRAIN_SECONDS: '2' }, program);
      const nodes = [await start(ports[0]!), await start(ports[1]!)];
      const nginx = await startNginx(ports);
      const storage = openStorage(database);
      const clock = { over: false };
      try {
        await addChannel(nodes[0]!, upstream.url);
        await liftRates(nodes[0]!.root);
        const { key } = await addCaller(storage.db, { quota: 1_000_000_000 });
        const calls = () => Promise.all(nodes.map(async (node) => (await post(node, key, hello)).status));
        await expect.poll(calls, { message: 'both nodes know the channel' }).toEqual([200, 200]);
        const outcomes: string[] = [];
        const client = async (): Promise<void> => {
          const agent = new Agent({ keepAlive: true, maxSockets: 1 });
          while (!clock.over) outcomes.push(await callOnce(nginx.url, key, agent));
          agent.destroy();
        };
        const clients = Array.from({ length: CLIENTS }, async (_, n) => {
          await sleep(n * 40);
          await client();
        });
        const streams = () => upstream.connections.open;
        await expect.poll(streams, { message: 'streams of all clients' }).toBeGreaterThanOrEqual(CLIENTS);
        for (const [restart, program] of programs.entries()) {
          const at = restart % 2;
          nodes[at]!.child.kill('SIGTERM');
          expect(await nodes[at]!.exited).toEqual({ code: 0, signal: null });
          nodes[at] = await start(ports[at]!, program);
          if (program === nextVersion && at === 0) {
            const { upgrade } = await nodes[at].root.call(systemApi.get);
            expect(upgrade?.waiting).toEqual(['9002-contract-next-version']);
            expect(await schemaOf(storage.db)).toContain('9001-expand-next-version');
          }
        }
        if (programs.includes(nextVersion))
          await expect
            .poll(() => schemaOf(storage.db), { message: 'the step that waited', timeout: 60_000 })
            .toContain('9002-contract-next-version');
        await expect
          .poll(() => outcomes.length, { message: 'calls that have ended', timeout: 120_000 })
          .toBeGreaterThan(CLIENTS * 4);
        clock.over = true;
        await Promise.all(clients);
        expect(outcomes.filter((outcome) => outcome !== 'whole')).toEqual([]);
        await expectBooksBalance(storage.db);
      } finally {
        clock.over = true;
        await nginx.stop();
        for (const node of nodes) await node.kill();
        await storage.close();
        await upstream.close();
        await database.remove();
      }
    },
    240_000,
  );
});

/** Names of the migrations that the database has. */
async function schemaOf(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

/** Makes a streaming call on a keep-alive connection; returns `whole` if it ended normally. */
function callOnce(url: string, key: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const call = request(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    call.on('error', (error) => resolve(`error: ${error.message}`));
    call.once('response', (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text = (text + piece.toString()).slice(-200)));
      response.on('error', (error) => resolve(`broken: ${error.message}`));
      response.once('end', () => {
        const whole = response.statusCode === 200 && text.endsWith('data: [DONE]\n\n');
        resolve(whole ? 'whole' : `${response.statusCode}: ${text}`);
      });
    });
    call.end(JSON.stringify({ ...hello, stream: true }));
  });
}
