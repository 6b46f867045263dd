import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { documentsOfTests, isTitled, namedTests } from './named-tests.ts';
import { root, say } from '../lib/run.ts';
import { reports } from './reports.ts';

/**
 * Runs after the tests. Fails if a test that docs/security.md or docs/spec-coverage.md names did not run or did not pass.
 * Without CI set it only prints them, because a machine may lack a program that a test needs.
 */
interface VitestReport {
  testResults: { name: string; assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[];
}

interface Step {
  title: string;
  steps?: Step[];
}

interface Suite {
  file: string;
  specs: { title: string; tests: { results: { status: string; steps?: Step[] }[] }[] }[];
  suites?: Suite[];
}

interface PlaywrightReport {
  config: { rootDir: string };
  suites: Suite[];
}

/** Titles of passed tests and their steps, by file. */
const passed = new Map<string, string[]>();
const add = (file: string, titles: string[]): void => {
  const name = path.relative(root, file).replaceAll(path.sep, '/');
  passed.set(name, [...(passed.get(name) ?? []), ...titles]);
};
const titlesOf = (steps: readonly Step[] = []): string[] =>
  steps.flatMap(({ title, steps: inner }) => [title, ...titlesOf(inner)]);

function addSuite(rootDir: string, { file, specs, suites = [] }: Suite): void {
  for (const { title, tests } of specs) {
    const results = tests.flatMap((test) => test.results).filter(({ status }) => status === 'passed');
    if (results.length > 0) add(path.join(rootDir, file), [title, ...results.flatMap(({ steps }) => titlesOf(steps))]);
  }
  for (const suite of suites) addSuite(rootDir, suite);
}

if (existsSync(reports.vitest)) {
  const { testResults } = JSON.parse(readFileSync(reports.vitest, 'utf8')) as VitestReport;
  for (const { name, assertionResults } of testResults)
    add(
      name,
      assertionResults
        .filter(({ status }) => status === 'passed')
        .flatMap(({ ancestorTitles, title }) => [...ancestorTitles, title]),
    );
}
if (existsSync(reports.playwright)) {
  const { config, suites } = JSON.parse(readFileSync(reports.playwright, 'utf8')) as PlaywrightReport;
  for (const suite of suites) addSuite(config.rootDir, suite);
}

const missing = documentsOfTests
  .flatMap(namedTests)
  .filter(({ file, title }) => !passed.get(file)?.some((reported) => isTitled(reported, title)));
for (const { document, file, title } of missing)
  say(`${document} names "${title}" of ${file}, which did not run or pass`);
process.exit(missing.length > 0 && process.env['CI'] ? 1 : 0);
