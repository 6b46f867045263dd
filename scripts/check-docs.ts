import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { variables } from '../server/src/config.ts';
import { root } from './lib-run.ts';

/**
 * Fails when a document names a path that does not exist, the README leaves out an environment variable, or a defence in
 * docs/security.md is without its test.
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

const security = readFileSync(path.join(root, 'docs/security.md'), 'utf8');
const named = [...security.matchAll(/`([\w./-]+\.(?:test|spec)\.ts)` "([^"]+)"/g)];
for (const [, file, title] of named) {
  const tests = existsSync(path.join(root, file!)) ? readFileSync(path.join(root, file!), 'utf8') : '';
  if (!tests.includes(title!))
    problems.push(`docs/security.md names the test "${title}" of ${file}, which does not exist`);
}
for (const row of security.split('\n').filter((line) => /^\| (?!Attack|---)/.test(line)))
  if (!/`[\w./-]+\.(?:test|spec)\.ts` "/.test(row)) problems.push(`docs/security.md names no test in: ${row}`);

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(1);
}
