import path from 'node:path';
import type { SourceFile } from './sources.ts';

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
  if (specifier.startsWith('#')) return `${from.split('/')[0]}/src/${specifier.slice(1)}`;
  if (specifier === '@relay-hub/contract') return 'contract/src/index.ts';
  return undefined;
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
