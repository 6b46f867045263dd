import { readCommand } from '../server/src/process/command-line.ts';
import { runAll } from './lib/run.ts';

readCommand({ name: 'check', about: 'Runs the static checks: they run neither the product nor its tests.' });

await runAll([
  ['format', 'oxfmt', '--check', '.'],
  ['import rules', 'node', 'scripts/checks/import-rules.ts', '--check'],
  ['lint', 'oxlint', '--type-aware', '--deny-warnings'],
  ['types: contract', 'tsc', '-p', 'contract'],
  ['types: server', 'tsc', '-p', 'server'],
  ['types: console', 'tsc', '-p', 'console'],
  ['types: tools', 'tsc', '-p', 'scripts'],
  ['unused code', 'knip'],
  ['texts', 'node', 'console/check-texts.ts'],
  ['documents', 'node', 'scripts/checks/check-docs.ts'],
  ['style', 'node', 'scripts/checks/check-style.ts'],
  ['advisories', 'node', 'scripts/checks/check-advisories.ts'],
  ['commits', 'node', 'scripts/checks/check-commits.ts'],
]);
