import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { root, run, say } from '../lib/run.ts';

/**
 * Generates the import rules for oxlint from the table in CONTRIBUTING.md. With `--check` it writes nothing and fails when
 * the two differ.
 */

const RULE = 'no-restricted-imports';
/** `.oxlintrc.json` extends it. */
const GENERATED = path.join(root, '.oxlintrc.imports.json');
/** Routes are mounted by `app.ts` alone; inside their folder they are imported as `./x-routes.ts`. */
const ROUTES = '#features/**/*-routes.ts';

interface Override {
  files: string[];
  rules: Record<string, unknown>;
}

interface Row {
  /** A folder, a folder with `*` for each of its subfolders, or a pattern of files. */
  subject: string;
  /** The cell of the table, and the paths that it stands for. */
  cell: string;
  allowed: string[];
}

/** The rows of the table under "Import directions": backticked paths, what they may import separated by commas. */
function readTable(text: string): Row[] {
  const [, section = ''] = text.split('## Import directions');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` +\| (.*?) *\|$/gm)];
  return rows.map(([, subject = '', allowed = '']) => ({
    subject,
    cell: allowed,
    allowed: allowed.split(', '),
  }));
}

/** Replaces names of lists, which are subjects without a slash, by their rows; and `lower` by the rows below in a folder. */
function withoutNames(rows: readonly Row[]): Row[] {
  const lists = new Map(rows.filter(isList).map(({ subject, allowed }) => [subject, allowed]));
  const expanded = (name: string): string[] => lists.get(name)?.flatMap(expanded) ?? [name];
  return rows.flatMap((row, at) => {
    if (isList(row)) return [];
    const parent = path.dirname(row.subject);
    const lower = () =>
      rows.slice(at + 1).flatMap(({ subject }) => (path.dirname(subject) === parent ? inPackage(subject) : []));
    return { ...row, allowed: row.allowed.flatMap((one) => (one === 'lower' ? lower() : expanded(one))) };
  });
}

const isList = ({ subject }: Row): boolean => !subject.includes('/');

/** A row whose subject ends in `*` stands for each subfolder that has no row. */
function withSubfolders(rows: readonly Row[]): Row[] {
  const own = new Set(rows.map(({ subject }) => subject.replace(/\/\*$/, '')));
  return rows.flatMap((row) => {
    if (!row.subject.endsWith('/*')) return row;
    const folder = row.subject.slice(0, -2);
    const names = readdirSync(path.join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !own.has(`${folder}/${entry.name}`))
      .map(({ name }) => name)
      .toSorted();
    return names.map((name) => ({ ...row, subject: `${folder}/${name}` }));
  });
}

/** Path below `src`, as an import has it after `#`. */
const inPackage = (subject: string): string => subject.split('/').slice(2).join('/');

function overrideOf({ subject, cell, allowed }: Row): Override {
  const isFiles = subject.endsWith('.ts');
  const own = isFiles ? [] : [inPackage(subject)].filter((folder) => folder !== '');
  const paths = [...own, ...allowed].filter((one) => one !== 'nothing' && one !== 'contract' && one !== '../');
  const exceptions = paths.map((one) => (one.endsWith('.ts') ? one : `${one}/**`));
  const group = [
    // A lone `#**` stops at the first slash.
    '#*',
    '#*/**',
    // Files at the root import folders as `./folder/file.ts`.
    ...(isFiles ? ['./*/**'] : []),
    // Out of the folder: `../file.ts` is of the same folder, seen from a subfolder.
    ...(allowed.includes('../') ? [] : ['../*/**']),
    '../../**',
    '../deps.ts',
    ...(allowed.includes('contract') ? [] : ['@relay-hub/**']),
    ...exceptions.flatMap((one) => (isFiles ? [`!#${one}`, `!./${one}`] : [`!#${one}`])),
    ROUTES,
  ];
  const message = `${subject} may import: ${cell}. See the table in CONTRIBUTING.md.`;
  return {
    files: [isFiles ? subject : `${subject}/**`],
    rules: { [RULE]: ['error', { patterns: [{ group, message }] }] },
  };
}

/** Tests and their helpers may import anything. Last, because the last override of a file wins. */
const tests: Override = {
  files: ['**/*.test.{ts,tsx}', '**/testing/**'],
  rules: { [RULE]: 'off' },
};

/** Folders that no row covers, in a package or in a folder that is divided into rows: each needs a decision. */
function uncovered(source: string, rows: readonly Row[]): string[] {
  const folders = readdirSync(path.join(root, source), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${source}/${name}`);
  return folders.flatMap((folder) => {
    if (rows.some(({ subject }) => subject === folder)) return [];
    return rows.some(({ subject }) => subject.startsWith(`${folder}/`)) ? uncovered(folder, rows) : folder;
  });
}

const table = readTable(readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8'));
const rows = withSubfolders(withoutNames(table));
const missing = ['server/src', 'console/src'].flatMap((source) => uncovered(source, rows));
if (missing.length > 0) {
  say(`add these folders to the table of imports in CONTRIBUTING.md: ${missing.join(', ')}`);
  process.exit(1);
}
const free = rows.filter(({ allowed }) => !allowed.includes('anything'));
const generated = { overrides: [...free.map(overrideOf), tests] };
const present: unknown = existsSync(GENERATED) ? JSON.parse(readFileSync(GENERATED, 'utf8')) : undefined;
if (isDeepStrictEqual(generated, present)) process.exit(0);
if (process.argv.includes('--check')) {
  say('.oxlintrc.imports.json differs from the table in CONTRIBUTING.md: run `node scripts/checks/import-rules.ts`');
  process.exit(1);
}
writeFileSync(GENERATED, JSON.stringify(generated, undefined, 2));
await run('oxfmt', [GENERATED]);
