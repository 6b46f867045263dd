import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { variables } from '../server/src/config.ts';
import { root } from './lib-run.ts';

/** Fails when a document names a path that does not exist, or the README leaves out an environment variable. */
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

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(1);
}
