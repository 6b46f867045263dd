import { readCommand, whole } from '../server/src/process/command-line.ts';
import { type Level, levels, ranFiles } from './checks/reports.ts';

/** Prints the slowest test files of the last complete run of a level, with what each proves. */
export function printSlowest(level: Level, count: number): void {
  const files = ranFiles(level).toSorted((a, b) => b.seconds - a.seconds);
  const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
  const tests = files.reduce((sum, each) => sum + each.tests, 0);
  process.stdout.write(`${level}: ${tests} tests in ${files.length} files, ${total.toFixed(0)} file seconds\n`);
  for (const { file, seconds, tests: inFile, subjects } of files.slice(0, count))
    process.stdout.write(
      `${seconds.toFixed(1).padStart(7)} s ${String(inFile).padStart(5)} tests  ${file}\n${' '.repeat(22)}${subjects.slice(0, 3).join('; ').slice(0, 150)}\n`,
    );
}

if (import.meta.main) {
  const { count } = readCommand({
    name: 'tool test-times',
    about: 'Prints the slowest test files of the last complete runs, with what each proves.',
    options: { count: whole('<number>', 'files of each level; default: 25', 25, 1) },
  });
  for (const level of levels) printSlowest(level, count);
}
