import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { variables } from '../server/src/config.ts';
import { namedTests } from './lib-named-tests.ts';
import { root } from './lib-run.ts';

/**
 * Fails when a document names a path that does not exist, the README leaves out an environment variable, or a defence in
 * docs/security.md or a promise in docs/spec-coverage.md is without its test.
 */
const problems: string[] = [];

for (const file of ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })]) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((match) =>
    path.join(path.dirname(file), match[1]!),
  );
  const cited = [...text.matchAll(/`((?:contract|server|console|e2e|docs|scripts|bench)\/[\w./-]+)`/g)].map(
    (match) => match[1]!,
  );
  for (const target of [...links, ...cited])
    if (!existsSync(path.join(root, target))) problems.push(`${file} names ${target}, which does not exist`);
}

const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
for (const [name, { allowed }] of Object.entries(variables)) {
  if (!readme.includes(`| \`${name}\` |`) || !readme.includes(allowed))
    problems.push(`README.md does not tell of ${name} what the configuration says: ${allowed}`);
}

/** Where a document has tables of tests, each row names one that exists, or says in plain words that there is none. */
function checkTests(document: string, plainWords: RegExp): void {
  const text = readFileSync(path.join(root, document), 'utf8');
  for (const { file, title } of namedTests(document)) {
    const tests = existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), 'utf8') : '';
    if (!tests.includes(title)) problems.push(`${document} names the test "${title}" of ${file}, which does not exist`);
  }
  for (const row of text.split('\n').filter((line) => /^\| (?!Attack|Promise|---)/.test(line)))
    if (!/`[\w./-]+\.(?:test|spec)\.ts` "/.test(row) && !plainWords.test(row))
      problems.push(`${document} names no test in: ${row}`);
}

checkTests('docs/security.md', /^(?!)/);
checkTests('docs/spec-coverage.md', /\| (?:not built|other screen|no test)\b[^|]*\|$/);

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(1);
}
