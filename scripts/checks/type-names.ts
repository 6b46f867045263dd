import type { Node } from 'oxc-parser';
import { walk } from '../numbers/syntax.ts';
import type { SourceFile } from '../numbers/sources.ts';

/** Participles and pronouns: they say who spoke, not what the value is. */
export const forbiddenTypeNames = new Set(['Asked', 'Told', 'Needs', 'Asking', 'Said', 'Words', 'Way', 'Found']);

export interface TypeName {
  name: string;
  at: string;
  exported: boolean;
}

const declarations = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'ClassDeclaration',
  'TSEnumDeclaration',
]);

/** Every type that a file declares: interfaces, aliases and classes. */
export function typeNamesOf(file: SourceFile): TypeName[] {
  const names: TypeName[] = [];
  walk(file.program, (node: Node, parent) => {
    if (!declarations.has(node.type) || !('id' in node) || node.id === null) return;
    const { name } = node.id as { name: string };
    const exported = parent?.type === 'ExportNamedDeclaration' || parent?.type === 'ExportDefaultDeclaration';
    names.push({ name, at: `${file.path}:${file.lineOf(node.start)}`, exported });
  });
  return names;
}

/** Names that several files of a package export, with their places. */
export function duplicateExports(types: readonly TypeName[]): TypeName[] {
  const exported = types.filter((type) => type.exported);
  const files = Map.groupBy(exported, ({ name }) => name);
  return exported.filter(({ name }) => files.get(name)!.length > 1).toSorted((a, b) => a.name.localeCompare(b.name));
}
