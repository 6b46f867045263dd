import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, run, say } from './run.ts';

const consoleFolder = path.join(root, 'console');
const page = path.join(consoleFolder, 'dist/index.html');
const stamp = path.join(root, '.cache/console-built-from');

/**
 * Builds the console unless the existing build was made from the same sources. `quiet`: warnings, which are for
 * developers, are not shown.
 */
export async function buildConsole({ quiet = false } = {}): Promise<void> {
  const sources = fingerprintOf([consoleFolder, path.join(root, 'contract')]);
  if (existsSync(page) && existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  say('building the console (once for these sources)');
  // Tests that pack the server run with another NODE_ENV, under which React's development build would be bundled.
  const env = { NODE_ENV: 'production', ...(quiet && { NODE_NO_WARNINGS: '1' }) };
  const status = await run('vite', ['build', '--logLevel', quiet ? 'error' : 'warn'], { cwd: consoleFolder, env });
  if (status !== 0) throw new Error('the console could not be built; see above');
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, sources);
}

function fingerprintOf(folders: string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).toSorted((a, b) =>
      fullName(a).localeCompare(fullName(b)),
    )) {
      const file = fullName(entry);
      if (!entry.isFile() || /[\\/](dist|node_modules)[\\/]/.test(file)) continue;
      hash.update(path.relative(root, file)).update(readFileSync(file));
    }
  }
  // The lock file stands for the versions of the build tools.
  return hash.update(readFileSync(path.join(root, 'package-lock.json'))).digest('hex');
}

const fullName = (entry: { parentPath: string; name: string }): string => path.join(entry.parentPath, entry.name);
