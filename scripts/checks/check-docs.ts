import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clientCommands } from '../cli/commands.ts';
import { namedTests } from './named-tests.ts';
import { root } from '../lib/run.ts';

/**
 * Fails if a document names a missing path, or a defence in docs/security.md or a promise in docs/spec-coverage.md names
 * no existing test, or docs/commands.md lacks a command for hubs, or manifests and CHANGELOG.md differ in the version, or the index of decisions is old; `--write`
 * writes that index.
 */
const problems: string[] = [];

for (const file of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('docs/**/*.md', { cwd: root })]) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((match) =>
    path.join(path.dirname(file), match[1]!),
  );
  const cited = [...text.matchAll(/`((?:contract|server|console|e2e|docs|scripts|bench|deploy)\/[\w./-]+)`/g)].map(
    (match) => match[1]!,
  );
  for (const target of [...links, ...cited])
    if (!existsSync(path.join(root, target))) problems.push(`${file} names ${target}, which does not exist`);
}

const index = 'docs/decisions/README.md';
const decisions = globSync('docs/decisions/0*.md', { cwd: root }).toSorted();
const listed = [
  '# Decisions',
  '',
  'Why things are as they are, in the order in which they were decided. Later ones replace earlier ones as their status says.',
  '',
  '| decision | status |',
  '|---|---|',
  ...decisions.map((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    const [, title = ''] = /^# (.+)$/m.exec(text) ?? [];
    const [, status = ''] = /^\*\*Status\.\*\* (.+)$/m.exec(text) ?? [];
    if (title === '' || status === '') problems.push(`${file} lacks a title or a status`);
    return `| [${title}](${path.basename(file)}) | ${status} |`;
  }),
  '',
].join('\n');
if (process.argv.includes('--write')) writeFileSync(path.join(root, index), listed);
if (!existsSync(path.join(root, index)) || readFileSync(path.join(root, index), 'utf8') !== listed)
  problems.push(`${index} is old; write it with: node scripts/checks/check-docs.ts --write`);

const versions = ['package.json', 'contract/package.json', 'server/package.json', 'console/package.json'].map(
  (file) => (JSON.parse(readFileSync(path.join(root, file), 'utf8')) as { version: string }).version, // npm's format
);
const [, newest] = /^## \[([^\]]+)\]/m.exec(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')) ?? [];
if (new Set([...versions, newest]).size > 1)
  problems.push(`the manifests and CHANGELOG.md name different versions: ${[...versions, newest].join(', ')}`);

const commands = readFileSync(path.join(root, 'docs/commands.md'), 'utf8');
for (const [name, { about }] of Object.entries(clientCommands))
  if (!commands.includes(`\n| \`${name}\` | ${about} |\n`))
    problems.push(`docs/commands.md lacks the row: | \`${name}\` | ${about} |`);

/** Each row of a table of tests names an existing test, or matches `noTest`. */
function checkTests(document: string, noTest: RegExp): void {
  const text = readFileSync(path.join(root, document), 'utf8');
  for (const { file, title } of namedTests(document)) {
    const tests = existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), 'utf8') : '';
    if (!tests.includes(title)) problems.push(`${document} names the test "${title}" of ${file}, which does not exist`);
  }
  for (const row of text.split('\n').filter((line) => /^\| (?!Attack|Promise|---)/.test(line)))
    if (!/`[\w./-]+\.(?:test|spec)\.ts` "/.test(row) && !noTest.test(row))
      problems.push(`${document} names no test in: ${row}`);
}

checkTests('docs/security.md', /^(?!)/);
checkTests('docs/spec-coverage.md', /\| (?:not built|other screen|no test)\b[^|]*\|$/);

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(1);
}
