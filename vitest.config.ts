import { globSync, readFileSync } from 'node:fs';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files start first, so that no worker runs one alone at the end. */
const longest = [
  'process/rolling-restart.long',
  'call/silent-database.long',
  'start/first-start.long',
  'torture/torture.long',
  'backup/backup.long',
  'limits/slow-callers.long',
  'src/main.long',
  'fuzz/fuzz.long',
  'option/option-write',
  'telegram/telegram',
  'outcome/fault-matrix',
];

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at < 0 ? longest.length : at;
    };
    return Promise.resolve(files.toSorted((a, b) => place(a) - place(b)));
  }
}

/**
 * Files that need a separate process: time zone, memory and open files belong to the whole process, and the registry of
 * endpoints to all files of a worker.
 */
const alone = [
  'server/src/features/analytics/*.test.ts',
  'server/src/roll-ups/local-days.test.ts',
  'server/src/roll-ups/wall-clock.test.ts',
  'server/src/http/console/serve-file.test.ts',
  'server/src/quota/journal.test.ts',
  'server/src/usage/tokenizer.test.ts',
  'server/src/http/validation-texts.test.ts',
];

/**
 * `npm test` runs everything but `*.long.test.ts`. `npm run test:long` runs these, and on PostgreSQL the suites that
 * `npm test` runs on SQLite only. Without a level every file runs.
 */
function filesOf(level: string | undefined): Record<'include' | 'exclude' | 'alone', string[]> {
  const every = '{contract,server,testing,console,scripts,bench}/**/*.test.ts';
  const long = '**/*.long.test.ts';
  if (level === 'short') return { include: [every], exclude: [long], alone };
  if (level !== 'long') return { include: [every], exclude: [], alone };
  const onOneDatabase = globSync('{server,testing}/**/*.test.ts', { exclude: ['**/node_modules'] }).filter((file) =>
    readFileSync(file, 'utf8').includes('onOneDatabase('),
  );
  return {
    include: [long, ...onOneDatabase],
    exclude: [],
    alone: alone.filter((file) => onOneDatabase.includes(file)),
  };
}

const files = filesOf(process.env['TEST_LEVEL']);

export default defineConfig({
  test: {
    globalSetup: ['testing/global-setup.ts'],
    // Tests wait a fifth of their time, so three workers keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Threads start faster than processes and share the runtime's caches.
      project('threads', files.include, [...files.exclude, ...alone]),
      project('forks', files.alone),
    ],
  },
});

function project(pool: 'threads' | 'forks', include: string[], others: string[] = []): TestProjectConfiguration {
  return {
    test: {
      name: pool,
      pool,
      // Files share the modules of their worker; loading these again for each file would take half of the time.
      isolate: pool === 'forks',
      include,
      exclude: ['**/node_modules/**', ...others],
      setupFiles: ['testing/property-seed.ts', 'testing/cheap-passwords.ts', 'testing/patient-pages.ts'],
      testTimeout: 30_000,
      hookTimeout: 60_000,
      // Polled conditions hold quickly on an idle machine and late on a busy one.
      expect: { poll: { timeout: 10_000 } },
    },
  };
}
