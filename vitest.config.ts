import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['{contract,server,console,scripts,bench}/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    setupFiles: ['server/src/testing/property-seed.ts'],
    globalSetup: ['server/src/testing/postgres-for-tests.ts'],
    // Real servers and databases: two at a time are what two cores can take.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes at once on a machine with nothing else to do, and late on others.
    expect: { poll: { timeout: 10_000 } },
  },
});
