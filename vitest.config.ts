import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Those that take longest begin first, or the last of them would be waited for alone; the first few wait more than they
 * work.
 */
const longest = [
  'process/rolling-restart',
  'call/silent-database',
  'testing/torture/torture',
  'upstream/time-outs',
  'outcome/fault-matrix',
  'src/first-start',
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

/** What needs a process of its own: the zone of days, the memory in use and open files are a whole process's. */
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
    globalSetup: ['server/testing/postgres-for-tests.ts'],
    // Tests wait a fifth of their time, so three at once keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Threads begin faster than processes, and share what the runtime keeps for its work.
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
      include,
      exclude: ['**/node_modules/**', ...others],
      setupFiles: ['server/testing/property-seed.ts', 'server/testing/cheap-passwords.ts'],
      testTimeout: 30_000,
      hookTimeout: 60_000,
      // What is waited for comes at once on a machine with nothing else to do, and late on others.
      expect: { poll: { timeout: 10_000 } },
    },
  };
}
