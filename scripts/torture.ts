import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { flag, readCommand, whole } from '../server/src/process/command-line.ts';

const flags = readCommand({
  name: 'tool torture',
  about:
    'Stresses real server processes with calls, disconnects, faults, kill -9, stops and restarts. Then compares the ' +
    'accounting with what callers and upstream recorded. Exits with 0 if nothing was lost or charged twice. Uses a new ' +
    'SQLite folder; with TEST_POSTGRES_URL a new database on that server.',
  options: {
    seed: whole('<number>', 'repeats a schedule; default: the time', Math.floor(Date.now() / 1000)),
    seconds: whole('<number>', 'length of the run; default: 180', 180, 1),
    nodes: whole('<number>', 'servers; several need PostgreSQL; default: 1', 1, 1),
    workers: whole('<number>', 'worker processes of each server; default: 1', 1, 1),
    every: whole('<seconds>', 'time between two ends of processes; default: 5', 5, 1),
    freeze: whole('<seconds>', 'how long one of several is frozen; default: 70 in a run of 120 or more', undefined),
    postgres: flag('start a PostgreSQL for the run'),
  },
});
// They load the whole server, which `--help` does not need.
const { onNewPostgres } = await import('../testing/new-postgres.ts');
const { startPostgres } = await import('../testing/postgres-for-tests.ts');
const { torture } = await import('../testing/torture/torture.ts');
const { seed, seconds, nodes, workers, every } = flags;
const freeze = flags.freeze ?? (seconds >= 120 ? 70 : 0);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (nodes > 1 && !flags.postgres && process.env['TEST_POSTGRES_URL'] === undefined)
  throw new Error('several nodes need PostgreSQL: --postgres');
const dataDir = mkdtempSync(path.join(tmpdir(), 'relay-hub-torture-'));
const started = flags.postgres ? await startPostgres() : undefined;
const server = started?.url ?? process.env['TEST_POSTGRES_URL'];
const postgres = server === undefined ? undefined : await onNewPostgres(server, `torture_${process.pid}`);

say(
  `seed ${seed}: ${seconds} s, ${nodes} server${nodes === 1 ? '' : 's'} of ${workers} process${workers === 1 ? '' : 'es'}, ${server ? 'PostgreSQL' : 'SQLite'}`,
);
const report = await torture({
  seed,
  forMs: seconds * 1000,
  nodes,
  workers,
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
  compared,
  overdrawn,
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
say(
  `charges compared with the bill of the upstream: ${Object.entries(compared)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')}`,
);
lost.push(...payments.lost, ...tasks.lost);
wrong.push(...payments.wrong, ...tasks.wrong);
say(
  `lost ${lost.length}, charged twice ${doubled.length}, wrong ${wrong.length}, below zero ${overdrawn.length}; ` +
    `charged to nobody: ${books.shortfall} credits of ${books.shortfall_calls} calls`,
);
for (const line of report.unpaid) say(`  ${line}`);
for (const line of [...lost, ...doubled, ...wrong, ...overdrawn].slice(0, 20)) say(`  ${line}`);
for (const { check, differences } of books.checks)
  for (const { of, expected, found } of differences) say(`  ${check}: ${of}: expected ${expected}, found ${found}`);
say(books.balanced ? 'The accounting is balanced.' : 'The accounting is not balanced.');

await postgres?.drop();
await started?.stop();
rmSync(dataDir, { recursive: true, force: true });
process.exit(books.balanced && lost.length + doubled.length + wrong.length + overdrawn.length === 0 ? 0 : 1);
