import { readCommand, text } from '../../server/src/process/command-line.ts';
import { metrics } from './metrics.ts';
import { packageNames, readPackage } from './sources.ts';

const { list } = readCommand({
  name: 'tool numbers',
  about:
    'Prints sizes and habits of the sources, one column per package. Tests, their helpers and generated files are counted ' +
    'only where a line says so.',
  options: { list: text('<metric>', 'print the places of one metric instead', undefined) },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const packages = packageNames.map(readPackage);
// `| head` closes the pipe early.
process.stdout.on('error', () => process.exit());

if (list === undefined) printTable();
else listPlaces(list);

function printTable(): void {
  print(`| | ${packages.map(({ name }) => name).join(' | ')} | --list |`);
  print(`|---|${'--:|'.repeat(packages.length)}---|`);
  for (const { name, title, measure } of metrics) {
    const results = packages.map((sources) => measure(sources));
    const listed = results.some(({ places }) => places !== undefined) ? name : '';
    print(`| ${title} | ${results.map(({ value }) => value).join(' | ')} | ${listed} |`);
  }
}

function listPlaces(name: string): void {
  const metric = metrics.find((each) => each.name === name);
  if (metric === undefined) {
    process.stderr.write(`--list takes one of: ${metrics.map((each) => each.name).join(', ')}\n`);
    process.exit(1);
  }
  for (const sources of packages)
    for (const { at, note } of metric.measure(sources).places ?? []) print(note === undefined ? at : `${at}  ${note}`);
}
