import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { flag, readCommand, text, whole } from '../server/src/process/command-line.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openStorage, type Storage } from '../server/src/db/open.ts';
import { PendingSums } from '../server/src/quota/pending-sums.ts';
import { onNewPostgres } from '../testing/new-postgres.ts';
import { startPostgres } from '../testing/postgres-for-tests.ts';
import { type Child, startChild } from './child.ts';
import { delayingProxy } from './delaying-proxy.ts';
import type { NodeResult, NodeWork } from './scale-node.ts';
import { percentile } from './statistics.ts';

const flags = readCommand({
  name: 'tool bench:scale',
  about:
    'Measures admission and settlement with many users, nodes and a slow network, on PostgreSQL and SQLite, without ' +
    'HTTP. Exits with 1 if a call is missing, doubled or refused.',
  options: {
    rate: whole('<number>', 'calls per second in all; default: 300', 300, 1),
    seconds: whole('<number>', 'of calls at that rate; default: 6', 6, 1),
    burst: whole('<number>', 'calls as fast as possible; default: 4000', 4000, 1),
    users: text('<list>', 'default: 1,400,5000', '1,400,5000'),
    nodes: text('<list>', 'default: 1,2,4', '1,2,4'),
    trips: text('<list>', 'milliseconds added to a round trip; default: 0,1', '0,1'),
    against: text('<folder>', 'another checkout takes part', undefined),
    limited: flag('each key has a budget and two windows that no run reaches'),
    'no-sqlite': flag('PostgreSQL only'),
    gate: flag('exit with 1 as well if many users cost much more than one, in the same run'),
  },
});

/** The most that calls of many users may cost, compared with calls of one user. */
const GATE = { statementsPerCall: 4, slower: 8 };

/** Of each key with `--limited`: a budget and two windows, sorted. */
const LIMITS = ['credits:day', 'credits:month', 'requests:hour'];
const CREDITS = 1_000_000_000;
const PRICE = 100;
const ROWS_AT_ONCE = 500;
const root = path.join(import.meta.dirname, '..');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const numbers = (list: string): number[] => list.split(',').map(Number);

interface Cell {
  name: string;
  root: string;
  users: number;
  nodes: number;
  /** Undefined: SQLite. */
  tripMs: number | undefined;
}

interface Figures {
  admitMs: number[];
  calls: number;
  appliedPerS: number;
  statements: number;
  walBytes: number;
  storedBytes: number;
}

async function addUsers(db: Storage['db'], users: number): Promise<void> {
  for (let from = 1; from <= users; from += ROWS_AT_ONCE) {
    const ids = Array.from({ length: Math.min(ROWS_AT_ONCE, users - from + 1) }, (_, at) => from + at);
    const now = 1_800_000_000;
    const user = { password_hash: '', role: 1, status: 1, group: 'default', created_time: now };
    await db
      .insertInto('users')
      .values(ids.map((id) => ({ ...user, id, username: `user-${id}` })))
      .execute();
    await db.updateTable('users').set({ quota: CREDITS }).execute();
    const token = { key_cipher: '', key_hint: '', status: 1, created_time: now, expired_time: -1, remain_quota: 0 };
    await db
      .insertInto('tokens')
      .values(
        ids.map((id) => ({
          ...token,
          id,
          user_id: id,
          name: `token-${id}`,
          key_hash: `key-${id}`,
          unlimited_quota: true,
          group: '',
          enable_cache: false,
        })),
      )
      .execute();
  }
}

/** Messages of a phase to all nodes, and what they have measured. */
async function phase(nodes: readonly Child[], name: 'paced' | 'burst'): Promise<NodeResult[]> {
  return Promise.all(
    nodes.map(async ({ process: node }) => {
      const answer = once(node, 'message') as Promise<[NodeResult]>;
      node.send(name);
      return (await answer)[0];
    }),
  );
}

type Sizes = { wal: number; stored: number };

/** Of PostgreSQL, without the rows of the log, which are the same in every version. */
async function sizesOf(storage: Storage): Promise<Sizes> {
  const read = storage.prepare<void, Sizes[]>({
    module: import.meta.url,
    run: async (query) =>
      query<Sizes>(
        `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal, (select sum(pg_total_relation_size(oid))
          from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname !~ '^logs_') as stored`,
        [],
      ),
  });
  const [sizes] = await read();
  return sizes!; // a select without a table has one row
}

async function measure(cell: Cell, server: string): Promise<Figures> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'bench-scale-'));
  const made = cell.tripMs === undefined ? undefined : await onNewPostgres(server, `scale_${process.pid}_${++cells}`);
  const proxy = made && (await delayingProxy(made.url, cell.tripMs ?? 0));
  const storage = openStorage({ databaseUrl: made?.url, dataDir });
  const sums = new PendingSums(storage, console);
  try {
    await migrate(storage.db);
    await addUsers(storage.db, cell.users);
    const works = Array.from({ length: cell.nodes }, (_, at): NodeWork => {
      const { users } = cell;
      const share = { rate: flags.rate / cell.nodes, burst: Math.ceil(flags.burst / cell.nodes) };
      return {
        root: cell.root,
        dataDir,
        databaseUrl: proxy?.url,
        node: `n${at}`,
        users,
        limits: flags.limited ? LIMITS : [],
        seconds: flags.seconds,
        ...share,
      };
    });
    const nodes = await Promise.all(
      works.map((work) =>
        startChild('anywhere', [process.execPath, path.join(root, 'bench/scale-node.ts'), JSON.stringify(work)], {
          ready: /ready/,
          ipc: true,
        }),
      ),
    );
    const before = made && (await sizesOf(storage));
    const statementsBefore = proxy?.statements() ?? 0;
    const paced = await phase(nodes, 'paced');
    const statements = (proxy?.statements() ?? 0) - statementsBefore;
    // The calls' share of them belongs to their cost.
    await sums.caughtUp();
    const after = made && (await sizesOf(storage));
    const startMs = performance.now();
    const burst = await phase(nodes, 'burst');
    const burstS = (performance.now() - startMs) / 1000;
    await Promise.all(
      nodes.map(async ({ process: node }) => {
        node.send('end');
        await once(node, 'exit');
      }),
    );
    await sums.caughtUp();
    const sum = (results: readonly NodeResult[], of: 'calls' | 'failed') =>
      results.reduce((total, result) => total + result[of], 0);
    const all = [...paced, ...burst];
    await refuseUnlessExact(storage.db, cell, { calls: sum(all, 'calls'), failed: sum(all, 'failed') });
    return {
      admitMs: paced.flatMap(({ admitMs }) => admitMs),
      calls: sum(paced, 'calls'),
      appliedPerS: sum(burst, 'calls') / burstS,
      statements,
      walBytes: (after?.wal ?? 0) - (before?.wal ?? 0),
      storedBytes: (after?.stored ?? 0) - (before?.stored ?? 0),
    };
  } finally {
    await storage.close();
    await proxy?.close();
    await made?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function refuseUnlessExact(
  db: Storage['db'],
  { name, users: count }: Cell,
  { calls, failed }: { calls: number; failed: number },
): Promise<void> {
  const sumOf = async (table: 'logs' | 'usage_by_user' | 'usage_by_channel') => {
    const { credits } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.sum<number | null>('quota').as('credits'))
      .executeTakeFirstOrThrow();
    return credits ?? 0;
  };
  const ledger = await db
    .selectFrom('ledger')
    .select(({ fn }) => fn.sum<number | null>('credits').as('credits'))
    .executeTakeFirstOrThrow();
  const users = await db
    .selectFrom('users')
    .select(({ fn }) => [
      fn.sum<number>('quota').as('left'),
      fn.sum<number>('used_quota').as('used'),
      fn.sum<number>('held').as('held'),
    ])
    .executeTakeFirstOrThrow();
  const limits = await db
    .selectFrom('limit_counters')
    .groupBy('name')
    .select(({ fn }) => ['name', fn.sum<number>('used').as('used'), fn.sum<number>('held').as('held')])
    .orderBy('name')
    .execute();
  const spent = calls * PRICE;
  const found = {
    failed,
    logs: await sumOf('logs'),
    ledger: -(ledger.credits ?? 0),
    byUser: await sumOf('usage_by_user'),
    byChannel: await sumOf('usage_by_channel'),
    ...users,
    limits,
  };
  const expected = {
    failed: 0,
    logs: spent,
    ledger: spent,
    byUser: spent,
    byChannel: spent,
    left: count * CREDITS - spent,
    used: spent,
    held: 0,
    limits: flags.limited
      ? LIMITS.map((limit) => ({ name: limit, used: limit.startsWith('credits:') ? spent : calls, held: 0 }))
      : [],
  };
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  say(`${name}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
  process.exitCode = 1;
}

interface Measured {
  name: string;
  users: number;
  statementsPerCall: number;
  appliedPerS: number;
}

/** Compares cells with many users with those of one. */
function refuseAbove(measured: readonly Measured[]): void {
  const fewest = Math.min(...measured.map(({ users }) => users));
  for (const { name, users, statementsPerCall, appliedPerS } of measured) {
    const one = measured.find((cell) => cell.name === name && cell.users === fewest);
    const slower = (one?.appliedPerS ?? 0) / appliedPerS;
    if (statementsPerCall <= GATE.statementsPerCall && slower <= GATE.slower) continue;
    say(
      `gate: ${name}, ${users} users: ${statementsPerCall.toFixed(1)} statements a call (at most ` +
        `${GATE.statementsPerCall}), ${slower.toFixed(1)} times slower than ${fewest} (at most ${GATE.slower})`,
    );
    process.exitCode = 1;
  }
}

let cells = 0;

async function main(): Promise<void> {
  const load = () => `load ${loadavg()[0]!.toFixed(1)}`;
  say(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${load()}; ${flags.rate} calls/s`);
  say(
    '| database | users | nodes | trip ms | admit p50 ms | p99 | applied/s | statements a call | WAL a call | stored |',
  );
  say('|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|');
  const measured: Measured[] = [];
  const postgres = await startPostgres();
  const builds = [
    { build: '', root },
    ...(flags.against === undefined ? [] : [{ build: ' (against)', root: flags.against }]),
  ];
  try {
    for (const users of numbers(flags.users))
      for (const tripMs of [...(flags['no-sqlite'] ? [] : [undefined]), ...numbers(flags.trips)])
        for (const nodes of tripMs === undefined ? [1] : numbers(flags.nodes))
          for (const { build, root: checkout } of builds) {
            const name = `${tripMs === undefined ? 'SQLite' : 'PostgreSQL'}${build}`;
            const figures = await measure({ name, root: path.resolve(checkout), users, nodes, tripMs }, postgres.url);
            const { admitMs, calls, appliedPerS, statements, walBytes, storedBytes } = figures;
            measured.push({ name, users, statementsPerCall: statements / calls, appliedPerS });
            const each = (value: number, digits = 0) => (tripMs === undefined ? '' : (value / calls).toFixed(digits));
            const admit = [50, 99].map((percent) => percentile(admitMs, percent).toFixed(1)).join(' | ');
            say(
              `| ${name} | ${users} | ${nodes} | ${tripMs ?? ''} | ${admit} | ${appliedPerS.toFixed(0)} | ` +
                `${each(statements, 1)} | ${each(walBytes)} | ${each(storedBytes)} |`,
            );
          }
  } finally {
    await postgres.stop();
  }
  say(load());
  if (flags.gate) refuseAbove(measured);
}

await main();
