import { runAll } from './lib/run.ts';

await runAll([
  ['format', 'oxfmt', '.'],
  ['lint', 'oxlint', '--type-aware', '--fix'],
]);
