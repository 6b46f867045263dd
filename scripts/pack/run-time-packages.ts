import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/run.ts';

export interface LockedPackage {
  version: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Never read at run time; licences and notices stay. */
const leftOut = /\.(?:[cm]?ts|tsx|map|flow|md|markdown)$/i;
const kept = /(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$/i;
const leftOutFolders = /^(?:tests?|__tests__|docs?|examples?|bench(?:marks?)?|\.github)\//;
/** Second copies of large packages that are only imported, and data of encodings that are not used. */
const leftOutOf: Readonly<Record<string, RegExp>> = {
  'gpt-tokenizer': /^(?:cjs|src|data)\/|^esm\/(?:model|encoding|bpeRanks)\/(?!(?:o200k|cl100k)_base\.)/,
  stripe: /^cjs\//,
  'swagger-ui-dist': /-es-|\.map$/,
};

/**
 * The packages that the server and the commands need at run time, by their path in `node_modules` as the lock file has them, with the
 * files to ship, relative to the package. Throws if one is not installed.
 */
export const runTimePackages = (): Map<string, string[]> =>
  new Map([...lockedPackages(packedWorkspaces).keys()].map((place) => [place, filesOf(place)]));

/** Workspaces whose packages are in the archive; the empty path is the root, which has those of the commands. */
export const packedWorkspaces = ['', 'server', 'contract'];

/** The packages that some workspaces need at run time, by their path in the lock file. */
export function lockedPackages(workspaces: readonly string[]): Map<string, LockedPackage> {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>; // npm's lock file, version 3
  };
  const found = new Map<string, LockedPackage>();
  const seen = new Set<string>();
  const open = [...workspaces];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entry = packages[at];
    if (entry === undefined || seen.has(at)) continue;
    seen.add(at);
    if (!entry.link && at.includes('node_modules/')) found.set(at, entry);
    for (const name of namesIn(entry)) {
      const place = locate(at, name, packages);
      if (place !== undefined && !seen.has(place) && !name.startsWith('@types/')) open.push(place);
    }
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Name of the package at a path of the lock file. */
export const nameAt = (place: string): string =>
  place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

function namesIn(entry: LockedPackage): string[] {
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => !entry.peerDependenciesMeta?.[name]?.optional,
  );
  return [...Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }), ...peers];
}

/** Where Node finds a package that the one at `from` requires. */
function locate(from: string, name: string, packages: Record<string, unknown>): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const isRoot = !folder.includes('node_modules/');
    const place = `${isRoot ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (isRoot) return undefined;
  }
}

function filesOf(place: string): string[] {
  const folder = path.join(root, place);
  if (!existsSync(path.join(folder, 'package.json'))) throw new Error(`${place} is not installed: run npm ci`);
  const name = nameAt(place);
  return globSync('**', { cwd: folder, withFileTypes: true, exclude: (entry) => entry.name === 'node_modules' })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((file) => kept.test(file) || !(leftOut.test(file) || leftOutFolders.test(file)))
    .filter((file) => !leftOutOf[name]?.test(file))
    .toSorted();
}
