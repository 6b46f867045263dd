import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { onNewPostgres } from '../server/testing/new-postgres.ts';
import { startPostgres } from '../server/testing/postgres-for-tests.ts';
import { torture } from '../server/testing/torture/torture.ts';

/**
 * Stresses real server processes with calls, disconnects, faults, kill -9, stops and restarts. Then compares
 * the accounting with what callers and upstream recorded. Exits with 0 if nothing was lost or charged twice.
 *
 *   npm run tool -- torture [--seed n] [--seconds n] [--nodes n] [--every seconds] [--freeze seconds] [--postgres]
 *
 * With several nodes, one is frozen for --freeze seconds (70 in a long run): it is presumed dead, then wakes up. Uses a
 * new SQLite folder; with TEST_POSTGRES_URL a new database on that server; with --postgres a server that is started
 * for the run.
 */
const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { seed: text, seconds: text, nodes: text, every: text, freeze: text, postgres: { type: 'boolean' } },
});
const seed = Number(values.seed ?? Math.floor(Date.now() / 1000));
const seconds = Number(values.seconds ?? 180);
const nodes = Number(values.nodes ?? 1);
const every = Number(values.every ?? 5);
const freeze = Number(values.freeze ?? (seconds >= 120 ? 70 : 0));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const dataDir = mkdtempSync(path.join(tmpdir(), 'relay-hub-torture-'));
const started = values.postgres ? await startPostgres() : undefined;
const server = started?.url ?? process.env['TEST_POSTGRES_URL'];
const postgres = server === undefined ? undefined : await onNewPostgres(server, `torture_${process.pid}`);

say(
  `seed ${seed}: ${seconds} s, ${nodes} server process${nodes === 1 ? '' : 'es'}, ${server ? 'PostgreSQL' : 'SQLite'}`,
);
const report = await torture({
  seed,
  forMs: seconds * 1000,
  nodes,
  endEveryMs: every * 1000,
  ...(freeze > 0 && { freezeMs: freeze * 1000 }),
  database: { dataDir, databaseUrl: postgres?.url, remove: async () => {} },
  progress: say,
});
const {
  calls,
  kills,
  stops,
  freezes,
  left,
  charged,
  released,
  failed,
  refused,
  unreachable,
  lost,
  doubled,
  wrong,
  books,
} = report;
const disconnects = Object.values(left).reduce((sum, count) => sum + count, 0);
say(
  `${calls} calls: ${charged} charged, ${failed} failed without a charge, ${released} released, ${refused} refused (402), ${unreachable} while no server was up`,
);
say(
  `${kills} kill -9, ${stops} stops, ${freezes} freezes; ${disconnects} disconnects: ${Object.entries(left)
    .map(([when, count]) => `${when} ${count}`)
    .join(', ')}`,
);
say(
  `${report.slowClients} slow clients; a flood of ${report.flood.sent} refused calls wrote ${report.flood.rows} rows that count ${report.flood.counted}`,
);
const { payments } = report;
say(
  `${payments.orders} orders: the gateway took ${payments.paid} payments, ${payments.credited} credited, ${payments.refunds} refunds`,
);
const { tasks } = report;
say(
  `${tasks.tasks} tasks: ${Object.entries(tasks.ended)
    .map(([status, count]) => `${status} ${count}`)
    .join(', ')}; ${tasks.refunded} refunded`,
);
lost.push(...payments.lost, ...tasks.lost);
wrong.push(...payments.wrong, ...tasks.wrong);
say(`lost ${lost.length}, charged twice ${doubled.length}, wrong ${wrong.length}`);
for (const line of [...lost, ...doubled, ...wrong].slice(0, 20)) say(`  ${line}`);
for (const { check, differences } of books.checks)
  for (const { of, expected, found } of differences) say(`  ${check}: ${of}: expected ${expected}, found ${found}`);
say(books.balanced ? 'The accounting is balanced.' : 'The accounting is not balanced.');

await postgres?.drop();
await started?.stop();
rmSync(dataDir, { recursive: true, force: true });
process.exit(books.balanced && lost.length + doubled.length + wrong.length === 0 ? 0 : 1);
