import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib-run.ts';

/** Documents with tables of what is promised, and the tests that prove it. */
export const documentsOfTests = ['docs/security.md', 'docs/spec-coverage.md'] as const;

export interface NamedTest {
  document: string;
  file: string;
  /** All of a test's title, or of a step's, or a part of it; as it stands in the file, with its placeholders. */
  title: string;
}

/** The tests that a document names, as `file` "title". */
export function namedTests(document: string): NamedTest[] {
  const text = readFileSync(path.join(root, document), 'utf8');
  return [...text.matchAll(/`([\w./-]+\.(?:test|spec)\.ts)` "([^"]+)"/g)].map(([, file, title]) => ({
    document,
    file: file!,
    title: title!,
  }));
}

const placeholder = /%[sdifjo]|\$\{[^}]*\}|\$[\w.]+/;

/** Whether a title that was reported is of the test that is named: where a placeholder stood, anything may stand. */
export function isTitled(reported: string, title: string): boolean {
  let from = 0;
  for (const part of title.split(placeholder)) {
    const at = reported.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
