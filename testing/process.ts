import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EmptyDatabase } from './databases.ts';
import { ApiClient, ROOT_PASSWORD } from './hub.ts';

const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));

export interface ServerProcess {
  url: string;
  /** A root session. */
  root: ApiClient;
  child: ChildProcess;
  exited: Promise<{ code: number | null; signal: string | null }>;
  /** Standard output, with the log. */
  output(): string;
  /** Standard error. */
  errors(): string;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Resident memory in bytes. */
  memory(): number;
  /** Ids of its worker processes. */
  workers(): number[];
}

/** Whether a process has ended; a zombie counts as ended. */
export function hasEnded(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

/**
 * Starts the server as a separate process and waits until it is ready. `program`: another checkout's; `openFiles`:
 * limit of file descriptors.
 */
export async function startProcess(
  { dataDir, databaseUrl }: EmptyDatabase,
  more: Record<string, string> = {},
  program = main,
  openFiles?: number,
): Promise<ServerProcess> {
  const command = [process.execPath, program];
  const limited = ['sh', '-c', 'ulimit -n "$0" && exec "$@"', String(openFiles), ...command];
  const [file, ...args] = openFiles === undefined ? command : limited;
  const child = spawn(file!, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ROOT_PASSWORD,
      LOG_LEVEL: 'error',
      // No load balancer has to notice a stop, unless a test has one.
      DRAIN_SECONDS: '0',
      // The simulated services are on this machine.
      OUTBOUND_PRIVATE: 'allow',
      ...more,
    },
  });
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  let errors = '';
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (address) resolve(address);
    });
    void exited.then(() => reject(new Error(`the server ended: ${errors}${output}`)));
  });
  return {
    url,
    root: await new ApiClient(url).signIn('root', ROOT_PASSWORD),
    child,
    exited,
    output: () => output,
    errors: () => errors,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    memory: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    workers: () =>
      readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
        .split(' ')
        .filter((pid) => pid !== '')
        .map(Number)
        .toSorted((a, b) => a - b),
  };
}
