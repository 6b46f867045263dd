import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');

export const say = (text: string): void => void process.stderr.write(`relay-hub: ${text}\n`);

/** Runs a program of node_modules, or Node, with inherited output. Resolves with the exit status. */
export function run(
  command: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string | undefined> } = {},
): Promise<number> {
  const program = command === 'node' ? process.execPath : path.join(root, 'node_modules/.bin', command);
  const child = spawn(program, args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** Runs steps in sequence and exits at the first failure. */
export async function runAll(steps: [name: string, ...command: [string, ...string[]]][]): Promise<void> {
  for (const [name, command, ...args] of steps) {
    say(name);
    const status = await run(command, args);
    if (status !== 0) {
      say(`${name}: failed`);
      process.exit(status);
    }
  }
}
