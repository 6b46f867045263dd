import { say } from '../lib/run.ts';
import { documentsOfTests, isTitled, namedTests } from './named-tests.ts';
import { levels, ranFiles } from './reports.ts';

/**
 * Runs after the tests of both levels. Fails if a test that docs/security.md or docs/spec-coverage.md names did not run
 * or did not pass. Without CI set it only prints them, because a machine may lack a program that a test needs.
 */
const passed = new Map<string, string[]>();
for (const { file, passed: titles } of levels.flatMap(ranFiles))
  passed.set(file, [...(passed.get(file) ?? []), ...titles]);

const missing = documentsOfTests
  .flatMap(namedTests)
  .filter(({ file, title }) => !passed.get(file)?.some((reported) => isTitled(reported, title)));
for (const { document, file, title } of missing)
  say(`${document} names "${title}" of ${file}, which did not run or pass`);
process.exit(missing.length > 0 && process.env['CI'] ? 1 : 0);
