import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { flag, readCommand, text, whole } from '../server/src/process/command-line.ts';
import { readConfig } from '../server/src/config.ts';
import { midjourneyTasks } from '../server/src/providers/task-vendors/midjourney-proxy.ts';
import { type RunningServer, startServer } from '../server/src/server.ts';
import { startChild } from './child.ts';
import { Reader } from './log-reads.ts';
import type { ServiceReport } from './task-service.ts';

const flags = readCommand({
  name: 'tool bench:tasks',
  about: 'Measures the polls of open tasks: requests, waits, and the share of a core that they take.',
  options: {
    tasks: whole('<number>', 'open tasks of one channel, submitted within the last hour; default: 10000', 10_000, 1),
    seconds: whole('<number>', 'of each measurement; default: 320, which shows five minutes without a look', 320, 1),
    postgres: text('<url>', 'an empty PostgreSQL database instead of SQLite', undefined),
    alone: flag('only the channel that takes one task per request'),
  },
});

const PASSWORD = 'a-password-for-the-benchmark';
const HOUR_S = 3600;
const IDLE_S = 20;
const { tasks: OPEN, seconds: SECONDS } = flags;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const sleep = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function main(): Promise<void> {
  say(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}; ${OPEN} open tasks`);
  const dataDir = mkdtempSync(path.join(tmpdir(), 'bench-tasks-'));
  const service = await startChild('around', [process.execPath, path.join(import.meta.dirname, 'task-service.ts')], {
    ready: /task service on port (\d+)/,
  });
  const url = `http://127.0.0.1:${service.match[1]}`;
  const server = await startServer(
    readConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      DATABASE_URL: flags.postgres,
      ROOT_PASSWORD: PASSWORD,
      LOG_LEVEL: 'silent',
      OUTBOUND_PRIVATE: 'allow',
    }),
  );
  try {
    const idle = await coreShare(IDLE_S);
    say(`without tasks: ${percent(idle)} of a core`);
    const { batch } = midjourneyTasks;
    await addTasks(server, url);
    for (const size of flags.alone ? [1] : [batch, 1]) {
      midjourneyTasks.batch = size;
      await fetch(`${url}/report`);
      const share = await coreShare(SECONDS);
      const seen = (await (await fetch(`${url}/report`)).json()) as ServiceReport;
      say(
        `up to ${size} tasks per request: ${seen.requests} requests in ${SECONDS} s for ${seen.looks} looks ` +
          `(full batches: ${Math.ceil(seen.looks / size)}), at most ${seen.most / 2} per second, ` +
          `${seen.longestS} s between looks at most; ${percent(share)} of a core, ${percent(share - idle)} for tasks`,
      );
    }
  } finally {
    await server.close(0);
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** CPU time of this process, storage threads included, as a share of one core. */
async function coreShare(seconds: number): Promise<number> {
  const before = process.cpuUsage();
  await sleep(seconds);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / seconds;
}

async function addTasks({ deps, port }: RunningServer, url: string): Promise<void> {
  const reader = await new Reader(port).signIn(PASSWORD);
  const body = { type: 34, name: 'tasks', key: 'a-key', base_url: url, models: 'mj_imagine', group: 'default' };
  const [channel] = await reader.make<{ id: number }[]>('/api/channel/', body);
  const now = deps.now();
  const key_cipher = deps.secrets.encrypt('a-key');
  const tasks = Array.from({ length: OPEN }, (_, n) => ({
    task_id: `bench-${n}`,
    platform: 'midjourney' as const,
    action: 'IMAGINE',
    model: 'mj_imagine',
    mode: 'fast' as const,
    status: 'IN_PROGRESS' as const,
    progress: 40,
    prompt: 'a cat on a bench, watercolour, soft light',
    created_at: now,
    updated_at: now,
    submit_ms: (now - Math.floor((n * HOUR_S) / OPEN)) * 1000,
    request_id: '',
    user_id: 1,
    token_id: 0,
    channel_id: channel?.id ?? 0,
    channel_type: 34,
    key_id: 0,
    key_cipher,
    base_url: url,
    upstream_id: `up-${n}`,
    next_poll_at: now + 1,
    deadline: now + 9 * HOUR_S,
  }));
  for (let from = 0; from < OPEN; from += 500)
    await deps.db
      .insertInto('tasks')
      .values(tasks.slice(from, from + 500))
      .execute();
}

await main();
