import path from 'node:path';
import type { SourceFile } from './sources.ts';
import { walk } from './syntax.ts';

/** Paths that each file imports or re-exports from; imports that are erased (`import type`) only if asked for. */
export type ImportGraph = Map<string, string[]>;

export function importGraph(files: readonly SourceFile[], includeTypes: boolean): ImportGraph {
  const known = new Set(files.map((file) => file.path));
  return new Map(
    files.map((file) => [
      file.path,
      specifiersOf(file, includeTypes)
        .map((specifier) => resolveImport(file.path, specifier))
        .filter((target) => target !== undefined)
        .filter((target) => known.has(target)),
    ]),
  );
}

function specifiersOf({ program }: SourceFile, includeTypes: boolean): string[] {
  return program.body.flatMap((node) => {
    if (node.type === 'ImportDeclaration') {
      const erased =
        node.importKind === 'type' ||
        (node.specifiers.length > 0 &&
          node.specifiers.every((each) => each.type === 'ImportSpecifier' && each.importKind === 'type'));
      return includeTypes || !erased ? [node.source.value] : [];
    }
    if (node.type !== 'ExportNamedDeclaration' && node.type !== 'ExportAllDeclaration') return [];
    return node.source !== null && (includeTypes || node.exportKind !== 'type') ? [node.source.value] : [];
  });
}

/** The repository's own file behind a specifier; undefined for libraries. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(from), specifier);
  if (specifier.startsWith('#')) return behindHash(from.split('/')[0] ?? '', specifier.slice(1));
  if (specifier === '@relay-hub/contract') return 'contract/src/index.ts';
  return undefined;
}

/** As `imports` in the package's `package.json` has it. */
function behindHash(from: string, place: string): string {
  const [folder = ''] = place.split('/');
  if (folder === 'testing') return place;
  if (/^(upstream|payment)-simulator$/.test(folder)) return `testing/${place}`;
  return `${from === 'testing' ? 'server' : from}/src/${place}`;
}

/** Groups of files that import each other in a loop (strongly connected components of two or more, by Tarjan). */
export function cyclesOf(graph: ImportGraph): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const cycles: string[][] = [];

  function visit(file: string): void {
    order.set(file, order.size);
    low.set(file, order.get(file)!);
    stack.push(file);
    onStack.add(file);
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) {
        visit(target);
        low.set(file, Math.min(low.get(file)!, low.get(target)!));
      } else if (onStack.has(target)) low.set(file, Math.min(low.get(file)!, order.get(target)!));
    }
    if (low.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    for (const member of group) onStack.delete(member);
    if (group.length > 1) cycles.push(group.toSorted());
  }

  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

/** Pairs of folders whose files import each other, one way and the other. */
export function mutualFolders(graph: ImportGraph): [folder: string, folder: string][] {
  const ways = new Set<string>();
  for (const [file, targets] of graph)
    for (const target of targets) ways.add(`${path.posix.dirname(file)} ${path.posix.dirname(target)}`);
  return [...ways]
    .map((way): [string, string] => way.split(' ') as [string, string]) // two, as joined above
    .filter(([from, to]) => from < to && ways.has(`${to} ${from}`));
}

/** Files outside `console/src` that the console's Vite configuration loads, itself included. */
export function buildFilesOf(graph: ImportGraph): string[] {
  const reached = new Set<string>();
  const queue = ['console/vite.config.ts'];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file) || !file.startsWith('console/') || file.startsWith('console/src/')) continue;
    reached.add(file);
    queue.push(...(graph.get(file) ?? []));
  }
  return [...reached].toSorted();
}

/** A part of another file may have this many lines, and both together, before it earns a file. */
const partLines = 60;
const wholeLines = 250;

/**
 * Small files with one importer, which lies in the same folder: they belong into it. Files that are loaded lazily, are
 * re-exported or have a test earn their place. `all`: with the tests.
 */
export function smallParts(all: readonly SourceFile[]): { part: SourceFile; importer: SourceFile }[] {
  const files = new Map(all.map((file) => [file.path, file]));
  const importers = new Map<string, Set<string>>();
  const kept = new Set<string>();
  for (const [file, targets] of importGraph(all, true))
    for (const target of targets) importers.set(target, (importers.get(target) ?? new Set()).add(file));
  for (const file of all)
    walk(file.program, (node) => {
      const source =
        node.type === 'ImportExpression' ||
        node.type === 'ExportNamedDeclaration' ||
        node.type === 'ExportAllDeclaration'
          ? node.source
          : null;
      const target = source?.type === 'Literal' && resolveImport(file.path, String(source.value));
      if (target) kept.add(target);
    });
  return all.flatMap((part) => {
    const [only, ...more] = importers.get(part.path) ?? [];
    const importer = only === undefined ? undefined : files.get(only);
    if (!importer || more.length > 0 || kept.has(part.path)) return [];
    const near = path.posix.dirname(importer.path) === path.posix.dirname(part.path);
    const isMarkup = part.path.endsWith('.tsx') && importer.path.endsWith('.ts');
    return near && !isMarkup && part.lines <= partLines && part.lines + importer.lines <= wholeLines
      ? [{ part, importer }]
      : [];
  });
}
