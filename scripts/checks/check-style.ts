import { commentLines, metrics } from '../numbers/metrics.ts';
import { type PackageName, packageNames, readPackage } from '../numbers/sources.ts';
import { duplicateExports, forbiddenTypeNames, typeNamesOf } from './type-names.ts';
import { offencesOf } from './wording.ts';

/**
 * Fails when comments use phrases that CONTRIBUTING.md rules out more often than the limit of their package allows, when
 * a type has a forbidden name, when a package exports two types of one name, or when a held metric is over its limit.
 *
 * The limits are the targets: 5 phrases per 1,000 comment lines, and 0 for the names.
 */
const limits: Record<PackageName, { phrases: number; forbidden: number; duplicates: number }> = {
  contract: { phrases: 5, forbidden: 0, duplicates: 0 },
  server: { phrases: 5, forbidden: 0, duplicates: 0 },
  console: { phrases: 5, forbidden: 0, duplicates: 0 },
  scripts: { phrases: 5, forbidden: 0, duplicates: 0 },
  bench: { phrases: 5, forbidden: 0, duplicates: 0 },
  testing: { phrases: 5, forbidden: 0, duplicates: 0 },
  e2e: { phrases: 5, forbidden: 0, duplicates: 0 },
};

/** Metrics of `npm run tool -- numbers` with a limit. */
const held: Partial<Record<PackageName, Record<string, number>>> = {
  server: { floors: 0, 'long-functions': 0 },
  // Builders of requests, one file per dialect, and files that configuration names.
  console: { 'small-parts': 7 },
};

const printAll = process.argv.includes('--all');
const print = (line: string): void => void process.stdout.write(`${line}\n`);
let failed = false;

for (const name of packageNames) {
  const sources = readPackage(name);
  const { shipped, tests } = sources;
  const files = [...shipped, ...tests];
  const limit = limits[name];

  const offences = files.flatMap(offencesOf);
  const rate = Math.ceil((offences.length / Math.max(1, commentLines(files))) * 1000);
  report(`${name}: phrases per 1,000 comment lines`, rate, limit.phrases, () =>
    offences.map(({ at, line, instead }) => `${at}: ${line}\n    instead: ${instead}`),
  );

  const types = files.flatMap(typeNamesOf);
  const forbidden = types.filter((type) => forbiddenTypeNames.has(type.name));
  report(`${name}: types with a forbidden name`, forbidden.length, limit.forbidden, () => forbidden.map(placeOf));
  const duplicates = duplicateExports(types);
  report(`${name}: exported types whose name is not unique`, duplicates.length, limit.duplicates, () =>
    duplicates.map(placeOf),
  );

  for (const { name: metric, title, measure } of metrics) {
    const most = held[name]?.[metric];
    if (most === undefined) continue;
    const { places = [] } = measure(sources);
    report(`${name}: ${title}`, places.length, most, () => places.map(({ at, note = '' }) => `${at}  ${note}`));
  }
}
process.exitCode = failed ? 1 : 0;

function report(what: string, count: number, limit: number, places: () => string[]): void {
  const over = count > limit;
  failed ||= over;
  if (over || (printAll && count > 0)) for (const place of places()) print(place);
  if (over || printAll) print(`${what}: ${count}, limit ${limit}`);
}

function placeOf({ at, name }: { at: string; name: string }): string {
  return `${at}: ${name}`;
}
