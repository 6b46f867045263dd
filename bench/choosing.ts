import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { readCommand, text } from '../server/src/process/command-line.ts';
import { readConfig } from '../server/src/config.ts';
import type { RouteQuery } from '../server/src/relay/types/call-types.ts';
import { chooseChannel, nothingTried } from '../server/src/relay/select/choose-channel.ts';
import { type RunningServer, startServer } from '../server/src/server.ts';
import { Reader } from './log-reads.ts';
import { median } from './statistics.ts';

const { channels } = readCommand({
  name: 'tool bench:choosing',
  about: 'Measures channel selection, and the delay until a change takes effect, by the number of channels.',
  options: { channels: text('<numbers>', 'numbers of channels; default: 1,100,5000', '1,100,5000') },
});

const PASSWORD = 'a-password-for-the-benchmark';
const MODEL = 'gpt-4o';
const WARM_UP = 20_000;
const TIMES = 200_000;
const CHANGES = 9;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  say(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}; SQLite`);
  for (const count of channels.split(',').map(Number)) {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'choosing-'));
    try {
      say(`${count} channels: ${await measure(count, dataDir)}`);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }
}

async function measure(count: number, dataDir: string): Promise<string> {
  const env = {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    ROOT_PASSWORD: PASSWORD,
    LOG_LEVEL: 'silent',
    OUTBOUND_PRIVATE: 'allow',
  };
  const server = await startServer(readConfig(env));
  try {
    const reader = await new Reader(server.port).signIn(PASSWORD);
    await addChannels(reader, count);
    const well = choosing(server, () => false);
    const trouble = choosing(server, (id) => id % 2 === 0);
    return `${well} µs a choice, ${trouble} µs while every other one is frozen; ${await changing(reader)} ms until a change is in force`;
  } finally {
    await server.close(0);
  }
}

const AT_ONCE = 1000;

/** All channels serve the same model, which is the worst case. */
async function addChannels(reader: Reader, count: number): Promise<void> {
  for (let made = 0; made < count; made += AT_ONCE) {
    const some = Math.min(AT_ONCE, count - made);
    const key = Array.from({ length: some }, (_, i) => `sk-upstream-key-${made + i}`).join('\n');
    const body = { type: 1, name: 'channel', key, models: `${MODEL},gpt-4o-mini,o3-*`, group: 'default' };
    await reader.make('/api/channel/', body);
  }
}

function choosing({ deps }: RunningServer, isFrozen: (id: number) => boolean): string {
  const { live } = deps;
  const group = live.groups.get('default')!;
  for (const { id } of live.routes.channelsFor('default', MODEL))
    if (isFrozen(id))
      live.health.failed(id, MODEL, { cooldownMs: 3_600_000, retryAfterMs: undefined, now: Date.now() });
  const request = { model: MODEL, stream: true, wantsUsage: false, inputTokens: 9, outputLimit: undefined };
  const query: RouteQuery = {
    operation: 'chat',
    dialect: 'openai',
    request: { ...request, usesTools: false, usesImages: false },
    group,
    pin: undefined,
    except: undefined,
  };
  for (let i = 0; i < WARM_UP; i++) chooseChannel(deps, query, nothingTried);
  const start = performance.now();
  for (let i = 0; i < TIMES; i++) chooseChannel(deps, query, nothingTried);
  return (((performance.now() - start) / TIMES) * 1000).toFixed(2);
}

/** Time from an administrator's request to its reply; the next call uses the new routes. */
async function changing(reader: Reader): Promise<string> {
  const times: number[] = [];
  for (let i = 0; i < CHANGES; i++) {
    const start = performance.now();
    await reader.make('/api/channel/', { id: 1, priority: i }, 'PUT');
    times.push(performance.now() - start);
  }
  return median(times).toFixed(0);
}

await main();
