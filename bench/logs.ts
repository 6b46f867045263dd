import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { readCommand, text, whole } from '../server/src/process/command-line.ts';
import { openStorage } from '../server/src/db/open.ts';
import { type Child, startChild } from './child.ts';
import { startLoad } from './load.ts';
import { readHeavily, Reader, type ReadTimes, timeReads } from './log-reads.ts';
import { jsonCall } from './calls.ts';
import { median, percentile } from './statistics.ts';
import { startUpstream } from './targets.ts';

const flags = readCommand({
  name: 'tool bench:logs',
  about: 'Measures log queries by the size of the log, and their effect on concurrent calls.',
  options: {
    small: whole('<number>', 'rows of the smaller log; default: 100000', 100_000, 1),
    large: whole('<number>', 'rows of the larger log; default: 1000000', 1_000_000, 1),
    folder: text('<folder>', 'keep the SQLite databases in this folder and reuse them', undefined),
    databases: text('<url,url>', 'two PostgreSQL databases, empty or filled before, instead of SQLite', undefined),
    rounds: whole('<number>', 'rounds of calls without and with heavy queries; default: 3', 3, 1),
  },
});

const MOST_MS = 50;
const MOST_TIMES = 2;
const PASSWORD = 'a-password-for-the-benchmark';
const PER_SECOND = 100;
const SECONDS = 6;
const HEAVY_READERS = 1;

const root = path.join(import.meta.dirname, '..');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Place {
  rows: number;
  env: Record<string, string>;
}

async function main(folder: string): Promise<void> {
  const [small, large] = placesIn(folder);
  for (const place of [small, large]) await fill(place);
  say(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}; ${flags.databases ? 'PostgreSQL' : 'SQLite'}`,
  );
  const [few, many] = [await withHub(small, timeReads), await withHub(large, timeReads)];
  say(render(few, many, small.rows, large.rows));
  await withHub(large, async (reader, port) => say(await relayMeanwhile(reader, port, folder)));
}

function placesIn(folder: string): [Place, Place] {
  const urls = flags.databases?.split(',') ?? [];
  const place = (rows: number, name: string, url: string | undefined): Place => {
    const dataDir = path.join(folder, name);
    mkdirSync(dataDir, { recursive: true });
    return {
      rows,
      env: { DATA_DIR: dataDir, ROOT_PASSWORD: PASSWORD, ...(url !== undefined && { DATABASE_URL: url }) },
    };
  };
  const rows = [flags.small, flags.large] as const;
  return [place(rows[0], `log-${rows[0]}`, urls[0]), place(rows[1], `log-${rows[1]}`, urls[1])];
}

/** Writes the rows unless they exist. */
async function fill({ rows, env }: Place): Promise<void> {
  if (await isFilled(env)) return;
  say(`writing ${rows} rows …`);
  const command = [process.execPath, path.join(root, 'scripts/seed/seed-logs.ts'), '--rows', String(rows), '--yes'];
  const child = await startChild('anywhere', command, { ready: undefined, env });
  const status = await new Promise((resolve) => child.process.once('exit', resolve));
  if (status !== 0) throw new Error(`the rows could not be written (${String(status)})`);
}

async function isFilled({ DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl }: Place['env']): Promise<boolean> {
  if (databaseUrl === undefined && !existsSync(path.join(dataDir, 'relay-hub.db'))) return false;
  const storage = openStorage({ dataDir, databaseUrl });
  try {
    const tables = await storage.db.introspection.getTables();
    if (!tables.some(({ name }) => name === 'logs')) return false;
    return (await storage.db.selectFrom('logs').select('id').limit(1).execute()).length > 0;
  } finally {
    await storage.close();
  }
}

async function withHub<T>({ env }: Place, use: (reader: Reader, port: number) => Promise<T>): Promise<T> {
  const child: Child = await startChild('anywhere', [process.execPath, path.join(root, 'server/src/main.ts')], {
    ready: /is at http:\S+:(\d+)\n/,
    env: { ...env, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error', OUTBOUND_PRIVATE: 'allow' },
  });
  try {
    const port = Number(child.match[1]);
    return await use(await new Reader(port).signIn(PASSWORD), port);
  } finally {
    await child.stop();
  }
}

function render(few: readonly ReadTimes[], many: readonly ReadTimes[], small: number, large: number): string {
  const line = (...cells: string[]): string =>
    cells[0]!.padEnd(32) +
    cells
      .slice(1)
      .map((cell) => cell.padStart(16))
      .join('');
  const lines = many.map(({ name, medianMs, p95Ms }, i) => {
    const ratio = medianMs / few[i]!.medianMs;
    return line(
      name,
      few[i]!.medianMs.toFixed(1),
      `${medianMs.toFixed(1)} (${p95Ms.toFixed(1)})`,
      `${ratio.toFixed(2)} ×`,
    );
  });
  const ratios = many.map(({ medianMs }, i) => medianMs / few[i]!.medianMs);
  const slow = many.filter(({ medianMs }) => medianMs >= MOST_MS);
  return [
    '',
    line('ms over HTTP, median (p95)', `${small} rows`, `${large} rows`, 'growth'),
    ...lines,
    '',
    `growth of the log ${(large / small).toFixed(0)} ×, of the median read ${median(ratios).toFixed(2)} ×`,
    `${slow.length === 0 ? 'met    ' : 'not met'} every read under ${MOST_MS} ms${slow.map(({ name }) => `; ${name}`).join('')}`,
  ].join('\n');
}

/** Calls at a constant rate, alternately without and with concurrent heavy queries. */
async function relayMeanwhile(reader: Reader, port: number, folder: string): Promise<string> {
  const upstream = await startUpstream();
  const load = await startLoad(folder, 'node');
  try {
    const { key, model } = await addRoute(reader, upstream.url);
    const body = { ...jsonCall, model };
    const run = async (seconds: number): Promise<{ p50: number; p99: number }> => {
      const to = [{ port, key }];
      const result = await load.run({ kind: 'open', to, body, perSecond: PER_SECOND, seconds });
      if (result.failed > 0) throw new Error(`${result.failed} calls failed`);
      const ms = result.wholeMs[0]!; // one address, one list
      return { p50: percentile(ms, 50), p99: percentile(ms, 99) };
    };
    await run(2);
    const { rounds } = flags;
    const [quiet, busy, reads] = [[], [], []] as [
      { p50: number; p99: number }[],
      { p50: number; p99: number }[],
      number[],
    ];
    for (let round = 0; round < rounds; round++) {
      quiet.push(await run(SECONDS));
      const stop = new AbortController();
      const readers = Array.from({ length: HEAVY_READERS }, () => readHeavily(reader, stop.signal));
      busy.push(await run(SECONDS));
      stop.abort();
      reads.push(...(await Promise.all(readers)));
    }
    return relayLines(quiet, busy, reads.reduce((sum, count) => sum + count, 0) / (rounds * SECONDS));
  } finally {
    await load.stop();
    await upstream.child.stop();
  }
}

/** Creates a channel to the simulated provider, a price for its model and a token, new ones for each run. */
async function addRoute(reader: Reader, upstream: string): Promise<{ key: string; model: string }> {
  const model = `bench-${Date.now()}`;
  await reader.make('/api/prices/single', { model, type: 'tokens', channel_type: 1, input: 0.075, output: 0.3 });
  await reader.make('/api/channel/', {
    type: 8,
    name: model,
    key: 'sk-upstream-0001',
    base_url: upstream,
    models: model,
    model_mapping: JSON.stringify({ [model]: 'gpt-4o-mini' }),
  });
  // One user makes all calls, more per minute than the default rate limit of a group.
  const { data: groups } = await reader.data<{ data: Record<string, unknown>[] }>('/api/user_group/?size=100');
  for (const { id, name, ratio, public: isPublic } of groups)
    await reader.make('/api/user_group/', { id, name, ratio, public: isPublic, api_rate: 10_000_000 }, 'PUT');
  const { key } = await reader.make<{ key: string }>('/api/token/', { name: model, unlimited_quota: true });
  return { key, model };
}

function relayLines(
  quiet: { p50: number; p99: number }[],
  busy: { p50: number; p99: number }[],
  reads: number,
): string {
  const of = (list: { p50: number; p99: number }[], key: 'p50' | 'p99') => median(list.map((one) => one[key]));
  const ratio = of(busy, 'p99') / of(quiet, 'p99');
  return [
    '',
    `${PER_SECOND} calls per second; concurrent heavy queries: ${reads.toFixed(0)} per second`,
    `p50 ${of(quiet, 'p50').toFixed(2)} ms without, ${of(busy, 'p50').toFixed(2)} ms with`,
    `p99 ${of(quiet, 'p99').toFixed(2)} ms without, ${of(busy, 'p99').toFixed(2)} ms with: ${ratio.toFixed(2)} ×`,
    `${ratio <= MOST_TIMES ? 'met    ' : 'not met'} p99 with heavy queries at most ${MOST_TIMES} × the p99 without`,
  ].join('\n');
}

if (flags.folder !== undefined) await main(path.resolve(flags.folder));
else {
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-bench-'));
  try {
    await main(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
