import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { root } from '../lib/run.ts';

/** Folder in the repository → folder in the package. */
const places: Readonly<Record<string, string>> = {
  'contract/src': 'node_modules/@relay-hub/contract/src',
  'server/src': 'server/src',
  scripts: 'scripts',
};

/** Names under which the contract is imported, and its files. */
export const { exports: contractExports } = JSON.parse(
  readFileSync(path.join(root, 'contract/package.json'), 'utf8'),
) as { exports: Record<string, string> }; // npm's format
const contractEntries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(contractExports).map(([name, file]) => [
    path.join('@relay-hub/contract', name),
    path.join('contract', file),
  ]),
);

/** `from './x.ts'`, `import './x.ts'`, `import('./x.ts')`, `new URL('./x.ts', import.meta.url)` and `require('x')`. */
const reference = /(\bfrom |\bimport \(?|\bimport\(|\bnew URL\(|\b(?:require|load)\()'([^'\n]+)'/g;

export interface Compiled {
  /** Contents by path in the package. */
  files: Map<string, string | Buffer>;
  /** Specifiers of packages that the files import, sorted. */
  packages: string[];
}

/**
 * Compiles modules and everything they refer to, from paths in the repository. Types become blanks, as when Node runs the
 * sources, so line numbers stay. Throws for a reference to a missing file.
 */
export function compile(entries: readonly string[]): Compiled {
  const files: Compiled['files'] = new Map();
  const packages = new Set<string>();
  const open = [...entries];
  const seen = new Set(open);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const source = readFileSync(path.join(root, file));
    if (!file.endsWith('.ts')) {
      files.set(placeOf(file), source);
      continue;
    }
    const from = file;
    const code = stripTypeScriptTypes(source.toString('utf8')).replace(reference, (all, before: string, to: string) => {
      const target = targetOf(from, to);
      if (target === undefined) {
        if (!to.startsWith('node:') && !to.endsWith('/')) packages.add(to);
        return all;
      }
      if (!seen.has(target)) open.push(target);
      seen.add(target);
      return `${before}'${to.replace(/\.ts$/, '.js')}'`;
    });
    files.set(placeOf(file).replace(/\.ts$/, '.js'), code);
  }
  return { files, packages: [...packages].toSorted() };
}

/** Path in the repository of a specifier; undefined for packages, modules of Node and folders. */
function targetOf(from: string, to: string): string | undefined {
  if (to.endsWith('/')) return undefined;
  if (to.startsWith('.')) return path.posix.join(path.posix.dirname(from), to);
  if (to.startsWith('#')) return `server/src/${to.slice(1)}`;
  return contractEntries[to];
}

/** Path in the package of a path in the repository. `server/package.json` is written by the package itself. */
function placeOf(file: string): string {
  const [folder, place] = Object.entries(places).find(([each]) => file.startsWith(`${each}/`)) ?? [];
  if (folder !== undefined) return place + file.slice(folder.length);
  if (file === 'server/package.json') return file;
  throw new Error(`${file} is not in a folder that is packed`);
}
