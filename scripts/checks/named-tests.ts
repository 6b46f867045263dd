import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/run.ts';

/** Documents with tables that name a test for each promise or defence. */
export const documentsOfTests = ['docs/security.md', 'docs/spec-coverage.md'] as const;

export interface NamedTest {
  document: string;
  file: string;
  /** Title of a test or a step, or a part of it, as written in the file: with placeholders. */
  title: string;
}

/** Tests that a document names as `file` "title". */
export function namedTests(document: string): NamedTest[] {
  const text = readFileSync(path.join(root, document), 'utf8');
  return [...text.matchAll(/`([\w./-]+\.(?:test|spec)\.ts)` "([^"]+)"/g)].map(([, file, title]) => ({
    document,
    file: file!,
    title: title!,
  }));
}

const placeholder = /%[sdifjo]|\$\{[^}]*\}|\$[\w.]+/;

/** Whether a reported title matches a title with placeholders, each of which matches any text. */
export function isTitled(reported: string, title: string): boolean {
  let from = 0;
  for (const part of title.split(placeholder)) {
    const at = reported.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
