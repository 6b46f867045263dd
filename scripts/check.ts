import { runAll } from './lib-run.ts';

/** Everything that can be said of the sources without running them. */
await runAll([
  ['format', 'oxfmt', '--check', '.'],
  ['lint', 'oxlint', '--type-aware', '--deny-warnings'],
  ['types: contract', 'tsc', '-p', 'contract'],
  ['types: server', 'tsc', '-p', 'server'],
  ['types: console', 'tsc', '-p', 'console'],
  ['types: tools', 'tsc', '-p', 'scripts'],
  ['unused code', 'knip'],
  ['texts', 'node', 'console/check-texts.ts'],
  ['documents', 'node', 'scripts/check-docs.ts'],
]);
