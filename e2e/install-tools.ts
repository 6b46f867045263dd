import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = fileURLToPath(new URL('connect-tools/', import.meta.url));
const cache = fileURLToPath(new URL('../.cache/connect-tools', import.meta.url));
const pins = ['package.json', 'package-lock.json', 'requirements.txt'];

/** Whether Python 3 with pip is there. In CI a missing one is an error; elsewhere its code is not run. */
export const hasPython = ((): boolean => {
  try {
    execFileSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (process.env['CI']) throw error;
    process.stderr.write('\n  NO PYTHON: its code is not run. Install python3 with pip to run it.\n\n');
    return false;
  }
})();

/**
 * Installs the pinned programs and libraries of `connect-tools` below `.cache` at the first use, about 630 MB. Returns the
 * folder, with `node_modules` and, if there is Python, `python` in it.
 */
export async function installTools(): Promise<string> {
  const hash = createHash('sha256').update(String(hasPython));
  for (const name of pins) hash.update(readFileSync(path.join(here, name)));
  const folder = path.join(cache, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(path.join(cache, 'new-'));
  for (const name of pins) cpSync(path.join(here, name), path.join(made, name));
  await Promise.all([installPackages(made), hasPython && installPython(made)]);
  // Under this name it is complete, whatever ends this process before.
  renameSync(made, folder);
  for (const other of readdirSync(cache))
    if (other !== path.basename(folder)) rmSync(path.join(cache, other), { recursive: true, force: true });
  return folder;
}

/** Hashes are in the lock file; scripts of packages are not run. */
async function installPackages(folder: string): Promise<void> {
  const script = process.env['npm_execpath'] ?? '';
  const known = script.endsWith('npm-cli.js');
  // Settings of the npm command that runs the tests must not reach this one.
  const env = Object.entries(process.env).filter(
    ([name]) => !/^npm_(config|package|lifecycle)_/i.test(name) || /registry|cafile|proxy|userconfig|cache/i.test(name),
  );
  await run(
    known ? process.execPath : 'npm',
    [...(known ? [script] : []), 'ci', '--ignore-scripts', '--no-audit', '--no-fund'],
    {
      cwd: folder,
      env: Object.fromEntries(env),
    },
  );
}

async function installPython(folder: string): Promise<void> {
  const options = ['--target', 'python', '--no-compile', '--only-binary', ':all:', '--no-warn-conflicts'];
  await run('python3', ['-m', 'pip', 'install', '--quiet', ...options, '-r', 'requirements.txt'], { cwd: folder });
}
