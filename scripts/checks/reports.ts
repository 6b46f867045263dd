import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/run.ts';

export type Level = 'short' | 'long';
export const levels: readonly Level[] = ['short', 'long'];

/** Reports of the last complete run of each level, read by check-ran.ts and test-times.ts. */
export const reportOf = (runner: 'vitest' | 'playwright', level: Level): string =>
  path.join(root, `.cache/ran-${level}-${runner}.json`);

export interface RanFile {
  /** Path from the root of the repository. */
  file: string;
  seconds: number;
  /** Titles of the passed tests, their suites and their steps. */
  passed: string[];
  tests: number;
  /** Titles of its outermost suites and tests. */
  subjects: string[];
}

/** The files that a run of this level ran; empty if there is no report. */
export const ranFiles = (level: Level): RanFile[] => [
  ...readVitest(reportOf('vitest', level)),
  ...readPlaywright(reportOf('playwright', level)),
];

interface VitestReport {
  testResults: {
    name: string;
    status: string;
    message: string;
    startTime: number;
    endTime: number;
    assertionResults: { ancestorTitles: string[]; title: string; status: string; fullName: string }[];
  }[];
}

/** Failures in a JSON report of Vitest: tests as file and full title, and files that could not run at all. */
export function failedTests(report: string): string[] {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as VitestReport;
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((result) => result.status === 'failed');
    if (status === 'failed' && failed.length === 0) return [`${relative(name)}: ${message.split('\n')[0]}`];
    return failed.map(({ fullName }) => `${relative(name)} "${fullName}"`);
  });
}

const relative = (file: string): string => path.relative(root, file).replaceAll(path.sep, '/');

function readVitest(report: string): RanFile[] {
  if (!existsSync(report)) return [];
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as VitestReport;
  return testResults.map(({ name, startTime, endTime, assertionResults }) => ({
    file: relative(name),
    seconds: Math.max(0, endTime - startTime) / 1000,
    tests: assertionResults.length,
    subjects: [...new Set(assertionResults.map(({ ancestorTitles: [suite], title }) => suite ?? title))],
    passed: assertionResults
      .filter(({ status }) => status === 'passed')
      .flatMap(({ ancestorTitles, title }) => [...ancestorTitles, title]),
  }));
}

interface Step {
  title: string;
  steps?: Step[];
}

interface Suite {
  file: string;
  specs: { title: string; tests: { results: { status: string; duration: number; steps?: Step[] }[] }[] }[];
  suites?: Suite[];
}

interface PlaywrightReport {
  config: { rootDir: string };
  suites: Suite[];
}

const titlesOf = (steps: readonly Step[] = []): string[] =>
  steps.flatMap(({ title, steps: inner }) => [title, ...titlesOf(inner)]);

function readPlaywright(report: string): RanFile[] {
  if (!existsSync(report)) return [];
  const { config, suites } = JSON.parse(readFileSync(report, 'utf8')) as PlaywrightReport;
  return suites.map((suite) => {
    const specs = specsOf(suite);
    const results = specs.flatMap(({ tests }) => tests.flatMap((test) => test.results));
    return {
      file: relative(path.join(config.rootDir, suite.file)),
      seconds: results.reduce((sum, { duration }) => sum + duration, 0) / 1000,
      tests: specs.length,
      subjects: specs.map(({ title }) => title),
      passed: specs.flatMap(({ title, tests }) => {
        const passed = tests.flatMap((test) => test.results).filter(({ status }) => status === 'passed');
        return passed.length === 0 ? [] : [title, ...passed.flatMap(({ steps }) => titlesOf(steps))];
      }),
    };
  });
}

const specsOf = ({ specs, suites = [] }: Suite): Suite['specs'] => [...specs, ...suites.flatMap(specsOf)];
