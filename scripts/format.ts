import { readCommand } from '../server/src/process/command-line.ts';
import { runAll } from './lib/run.ts';

readCommand({ name: 'format', about: 'Formats the sources, and fixes what the linter can fix.' });

await runAll([
  ['format', 'oxfmt', '.'],
  ['lint', 'oxlint', '--type-aware', '--fix'],
]);
