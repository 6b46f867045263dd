import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files start first, so that no worker runs one alone at the end. The first few mostly wait. */
const longest = [
  'process/rolling-restart',
  'call/silent-database',
  'testing/torture/torture',
  'upstream/time-outs',
  'outcome/fault-matrix',
  'start/first-start',
  'log/log-pages',
  'src/main',
  'data-key/change-data-key',
  'fuzz/fuzz',
  'mail/channel-notices',
  'live/several-nodes',
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

/** Files that need a separate process: time zone, memory and open files belong to the whole process. */
const alone = [
  'server/src/features/analytics/*.test.ts',
  'server/src/roll-ups/local-days.test.ts',
  'server/src/roll-ups/wall-clock.test.ts',
  'server/src/http/console/serve-file.test.ts',
  'server/src/quota/journal.test.ts',
  'server/src/usage/tokenizer.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['server/testing/global-setup.ts'],
    // Tests wait a fifth of their time, so three workers keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Threads start faster than processes and share the runtime's caches.
      project('threads', ['{contract,server,console,scripts,bench}/**/*.test.ts'], alone),
      project('forks', alone),
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
      setupFiles: ['server/testing/property-seed.ts', 'server/testing/cheap-passwords.ts'],
      testTimeout: 30_000,
      hookTimeout: 60_000,
      // A loaded CI machine may break a timing once; the report marks a test that passed at its second run.
      retry: process.env['CI'] ? 1 : 0,
      // Polled conditions hold quickly on an idle machine and late on a busy one.
      expect: { poll: { timeout: 10_000 } },
    },
  };
}
