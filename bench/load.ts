import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isInstalled, placed, startChild } from './child.ts';
import { type Address, headersTo, type Job, type JobResult } from './jobs.ts';

/** Sends calls from a separate process. */
export interface Load {
  /** Program that runs the closed loop of JSON calls. */
  engine: 'wrk' | 'node';
  run(job: Job): Promise<JobResult>;
  /** A closed loop at full speed over `connections` connections, 64 by default. */
  saturate(to: Address, body: object, seconds: number, connections?: number): Promise<Saturated>;
  stop(): Promise<void>;
}

type Saturated = Pick<JobResult, 'answered' | 'failed' | 'seconds'>;

export async function startLoad(folder: string, engine: 'wrk' | 'node'): Promise<Load> {
  const child = await startChild('around', [process.execPath, path.join(import.meta.dirname, 'load-process.ts')], {
    ready: undefined,
    ipc: true,
  });
  const waiting = new Map<number, (result: JobResult) => void>();
  let lastId = 0;
  child.process.on('message', ({ id, result }: { id: number; result: JobResult }) => {
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const run = (job: Job): Promise<JobResult> =>
    new Promise((resolve) => {
      waiting.set(++lastId, resolve);
      child.process.send({ id: lastId, job });
    });
  return {
    engine,
    run,
    saturate(to, body, seconds, connections = 64) {
      if (engine === 'node') return run({ kind: 'closed', to, body, connections, seconds });
      return runWrk(folder, { to, body, seconds, connections });
    },
    stop: child.stop,
  };
}

export const hasWrk = (): boolean => isInstalled('wrk', '-v');

interface WrkRun {
  to: Address;
  body: object;
  seconds: number;
  connections: number;
}

function runWrk(folder: string, { to, body, seconds, connections }: WrkRun): Promise<Saturated> {
  const script = path.join(folder, 'post.lua');
  const lines = Object.entries(headersTo(to)).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  writeFileSync(script, ['wrk.method = "POST"', `wrk.body = [[${JSON.stringify(body)}]]`, ...lines].join('\n'));
  const url = `http://127.0.0.1:${to.port}/v1/chat/completions`;
  const [program = '', ...args] = placed('around', [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${Math.ceil(seconds)}s`,
    '-s',
    script,
    url,
  ]);
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: Math.ceil(seconds) * 1000 + 20_000 }, (error, output) => {
      const done = /(\d+) requests in ([\d.]+)(m?s)/.exec(output);
      if (error || !done) return reject(error ?? new Error(`unexpected output of wrk: ${output}`));
      const failed = Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0);
      resolve({ answered: Number(done[1]) - failed, failed, seconds: Number(done[2]) / (done[3] === 'ms' ? 1000 : 1) });
    });
  });
}
