import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** A running program that is ready for use. */
export interface Child {
  pid: number;
  process: ChildProcess;
  /** Match of the ready line. */
  match: RegExpExecArray;
  /** Stops the program and waits until it has exited. */
  stop(): Promise<void>;
}

/** CPU core of the target, core of everything else, or any core. */
export type Place = 'target' | 'around' | 'anywhere';

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Whether a program can be started by this name. */
export function isInstalled(program: string, versionFlag: string): boolean {
  return spawnSync(program, [versionFlag]).error === undefined;
}

/** Whether the target gets a core that nothing else uses. */
export const pinned =
  process.platform === 'linux' && availableParallelism() >= 2 && isInstalled('taskset', '--version');

/** Command line that is pinned to the core of its place. */
export function placed(place: Place, command: readonly string[]): string[] {
  return pinned && place !== 'anywhere' ? ['taskset', '-c', place === 'target' ? '0' : '1', ...command] : [...command];
}

/** Passes on environment variables with locations only: others could influence the measurement. */
function locationVariables(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

const READY_MS = 20_000;
const STOP_MS = 8_000;

/** Starts a program; resolves when a line of its output matches `ready`, or once it is spawned without `ready`. */
export function startChild(
  place: Place,
  command: readonly string[],
  { ready, env, ipc = false }: { ready: RegExp | undefined; env?: Record<string, string>; ipc?: boolean },
): Promise<Child> {
  const [program = '', ...args] = placed(place, command);
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe', ipc ? 'ipc' : 'ignore'],
    env: { ...locationVariables(['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE']), ...env },
  });
  running.add(child);
  let output = '';
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      running.delete(child);
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  };
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`${command.join(' ')}: ${why}\n${output.slice(-2000)}`));
    };
    const timer = setTimeout(() => fail('was not ready in time'), READY_MS);
    const check = (): void => {
      const match = (ready ?? /(?:)/).exec(output);
      if (!match) return;
      clearTimeout(timer);
      resolve({ pid: child.pid!, process: child, match, stop }); // a spawned process has an id
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (piece: Buffer) => {
        output = (output + piece.toString()).slice(-20_000);
        check();
      });
    }
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`));
    if (!ready) child.once('spawn', check);
  });
}
