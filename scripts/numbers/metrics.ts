import path from 'node:path';
import type { Node } from 'oxc-parser';
import { buildFilesOf, cyclesOf, importGraph, mutualFolders, smallParts } from './imports.ts';
import type { PackageSources, SourceFile } from './sources.ts';
import { exportsOf, functionsOf, hasReason, isCast, isSwallowedCatch, walk } from './syntax.ts';

export interface Place {
  at: string;
  note?: string;
}

export interface Result {
  value: string;
  /** Printed by `--list`. */
  places?: Place[];
}

export interface Metric {
  /** Argument of `--list`. */
  name: string;
  title: string;
  measure: (sources: PackageSources) => Result;
}

/** Folders with more files than this are listed as flat. */
export const flatFolderLimit = 30;
/** Functions with this many parameters or more are listed. */
export const manyParameters = 5;
const longFileLines = 300;
const mostFunctionLines = 120;

const at = (file: SourceFile, node: { start: number }): string => `${file.path}:${file.lineOf(node.start)}`;
const linesOf = (files: readonly SourceFile[]): number => files.reduce((sum, { lines }) => sum + lines, 0);
const count = (places: Place[]): Result => ({ value: String(places.length), places });

/** Median, 90th percentile and maximum. */
function spread(values: readonly number[]): string {
  if (values.length === 0) return '–';
  const sorted = values.toSorted((a, b) => a - b);
  const quantile = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return [quantile(0.5), quantile(0.9), sorted.at(-1)].join(' / ');
}

function matchingNodes(files: readonly SourceFile[], matches: (node: Node, file: SourceFile) => boolean): Place[] {
  return files.flatMap((file) => {
    const places: Place[] = [];
    walk(file.program, (node) => {
      if (matches(node, file)) places.push({ at: at(file, node), note: firstLine(file, node) });
    });
    return places;
  });
}

const firstLine = (file: SourceFile, node: Node): string =>
  file.text.slice(node.start, node.end).split('\n')[0]!.slice(0, 100);

function perThousandLines(files: readonly SourceFile[], places: Place[]): Result {
  const lines = linesOf(files);
  return { value: lines === 0 ? '–' : ((places.length / lines) * 1000).toFixed(2), places };
}

function inCycles(sources: PackageSources, includeTypes: boolean): Result {
  const cycles = cyclesOf(importGraph(sources.shipped, includeTypes));
  return count(cycles.flatMap((files, i) => files.map((file) => ({ at: file, note: `loop ${i + 1}` }))));
}

function foldersOf({ shipped, tests }: PackageSources): [folder: string, files: number][] {
  const folders = new Map<string, number>();
  for (const { path: file } of [...shipped, ...tests])
    folders.set(path.dirname(file), (folders.get(path.dirname(file)) ?? 0) + 1);
  return [...folders].toSorted(([, a], [, b]) => b - a);
}

/** Lines that are part of a comment. */
export function commentLines(files: readonly SourceFile[]): number {
  return files.reduce(
    (sum, file) =>
      sum + file.comments.reduce((n, { start, end }) => n + file.lineOf(end - 1) - file.lineOf(start) + 1, 0),
    0,
  );
}

export const metrics: readonly Metric[] = [
  { name: 'files', title: 'files', measure: ({ shipped }) => ({ value: String(shipped.length) }) },
  { name: 'lines', title: 'lines', measure: ({ shipped }) => ({ value: String(linesOf(shipped)) }) },
  {
    name: 'test-lines',
    title: 'lines of tests and their helpers',
    measure: ({ tests }) => ({ value: String(linesOf(tests)) }),
  },
  {
    name: 'file-size',
    title: 'lines of a file: median / p90 / max',
    measure: ({ shipped }) => ({
      value: spread(shipped.map(({ lines }) => lines)),
      places: shipped
        .filter(({ lines }) => lines > longFileLines)
        .map((file) => ({ at: file.path, note: `${file.lines} lines` })),
    }),
  },
  {
    name: 'function-size',
    title: 'lines of a function: median / p90 / max',
    measure: ({ shipped }) => {
      const functions = shipped.flatMap((file) => functionsOf(file).map((each) => ({ file, ...each })));
      return {
        value: spread(functions.map(({ lines }) => lines)),
        places: functions
          .toSorted((a, b) => b.lines - a.lines)
          .slice(0, 10)
          .map(({ file, node, lines }) => ({ at: at(file, node), note: `${lines} lines` })),
      };
    },
  },
  {
    name: 'long-functions',
    title: `functions with more than ${mostFunctionLines} lines, except migrations`,
    measure: ({ shipped }) =>
      count(
        shipped
          .filter((file) => !file.path.includes('/migrations/'))
          .flatMap((file) => functionsOf(file).map((each) => ({ file, ...each })))
          .filter(({ lines }) => lines > mostFunctionLines)
          .map(({ file, node, lines }) => ({ at: at(file, node), note: `${lines} lines` })),
      ),
  },
  {
    name: 'parameters',
    title: `functions with ${manyParameters} or more parameters`,
    measure: ({ shipped }) =>
      count(
        shipped.flatMap((file) =>
          functionsOf(file)
            .filter(({ parameters }) => parameters >= manyParameters)
            .map(({ node, parameters }) => ({ at: at(file, node), note: `${parameters}: ${firstLine(file, node)}` })),
        ),
      ),
  },
  {
    name: 'comments',
    title: 'share of comment lines',
    measure: ({ shipped }) => ({ value: percent(commentLines(shipped), linesOf(shipped)) }),
  },
  {
    name: 'docs',
    title: 'exports with a doc comment',
    measure: ({ shipped }) => {
      const all = shipped.flatMap((file) => exportsOf(file).map((each) => ({ file, ...each })));
      return {
        value: percent(all.filter(({ documented }) => documented).length, all.length),
        places: all
          .filter(({ documented }) => !documented)
          .map(({ file, node }) => ({ at: at(file, node), note: firstLine(file, node) })),
      };
    },
  },
  {
    name: 'casts',
    title: 'casts per 1,000 lines',
    measure: ({ shipped }) => perThousandLines(shipped, matchingNodes(shipped, isCast)),
  },
  {
    name: 'non-null',
    title: '`!` per 1,000 lines',
    measure: ({ shipped }) =>
      perThousandLines(
        shipped,
        matchingNodes(shipped, ({ type }) => type === 'TSNonNullExpression'),
      ),
  },
  {
    name: 'any',
    title: '`any`',
    measure: ({ shipped }) => count(matchingNodes(shipped, ({ type }) => type === 'TSAnyKeyword')),
  },
  {
    name: 'suppressions',
    title: 'suppressed errors and lint rules',
    measure: ({ shipped }) =>
      count(
        shipped.flatMap((file) =>
          file.comments
            .filter(({ value }) => /@ts-(ignore|expect-error|nocheck)|(eslint|oxlint)-disable/.test(value))
            .map((comment) => ({ at: at(file, comment), note: comment.value.trim() })),
        ),
      ),
  },
  {
    name: 'swallowed',
    title: 'swallowed catches, with the reason given',
    measure: ({ shipped }) =>
      count(matchingNodes(shipped, (node, file) => isSwallowedCatch(node) && hasReason(file, node))),
  },
  {
    name: 'swallowed-silently',
    title: 'swallowed catches without a reason',
    measure: ({ shipped }) =>
      count(matchingNodes(shipped, (node, file) => isSwallowedCatch(node) && !hasReason(file, node))),
  },
  { name: 'cycles', title: 'files in import cycles', measure: (sources) => inCycles(sources, false) },
  { name: 'type-cycles', title: 'the same with `import type`', measure: (sources) => inCycles(sources, true) },
  {
    name: 'floors',
    title: 'pairs of relay folders that import each other',
    measure: ({ shipped }) => {
      const relay = shipped.filter((file) => file.path.startsWith('server/src/relay/'));
      return count(mutualFolders(importGraph(relay, true)).map(([folder, other]) => ({ at: folder, note: other })));
    },
  },
  {
    name: 'small-parts',
    title: 'small files that belong into their only importer, beside them',
    measure: ({ shipped, tests }) =>
      count(smallParts([...shipped, ...tests]).map(({ part, importer }) => ({ at: part.path, note: importer.path }))),
  },
  {
    name: 'folders',
    title: 'largest folder',
    measure: (sources) => {
      const folders = foldersOf(sources);
      const [largest] = folders;
      return {
        value: largest === undefined ? '–' : `${largest[1]}`,
        places: folders
          .filter(([, files]) => files > flatFolderLimit)
          .map(([folder, files]) => ({ at: folder, note: `${files} files` })),
      };
    },
  },
  {
    name: 'flat-folders',
    title: `folders with more than ${flatFolderLimit} files`,
    measure: (sources) =>
      count(
        foldersOf(sources)
          .filter(([, files]) => files > flatFolderLimit)
          .map(([folder, files]) => ({ at: folder, note: `${files} files` })),
      ),
  },
  {
    name: 'build',
    title: 'lines of build code',
    measure: ({ name, shipped }) => {
      if (name !== 'console') return { value: '–' };
      const names = new Set(buildFilesOf(importGraph(shipped, false)));
      const files = shipped.filter((file) => names.has(file.path));
      return {
        value: String(linesOf(files)),
        places: files.map((file) => ({ at: file.path, note: `${file.lines} lines` })),
      };
    },
  },
];

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((part / whole) * 100).toFixed(1)} %`;
}
