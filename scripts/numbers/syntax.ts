import { type CatchClause, type Node, visitorKeys } from 'oxc-parser';
import type { SourceFile } from './sources.ts';

/** Calls `visit` for every node of a tree, parents first. */
export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  visit(node, parent);
  for (const key of visitorKeys[node.type] ?? []) {
    const child = (node as unknown as Record<string, unknown>)[key];
    for (const item of Array.isArray(child) ? child : [child]) if (isNode(item)) walk(item, visit, node);
  }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

export interface FunctionSize {
  node: Node;
  lines: number;
  parameters: number;
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Functions and methods with a body in braces; arrows without braces are expressions, not functions to read. */
export function functionsOf(file: SourceFile): FunctionSize[] {
  const found: FunctionSize[] = [];
  walk(file.program, (node) => {
    if (!functionTypes.has(node.type) || !('params' in node) || !('body' in node)) return;
    const parameters = (node.params as Node[]).filter((parameter) => !isThis(parameter)).length;
    const hasBraces = isNode(node.body) && /^(BlockStatement|FunctionBody)$/.test(node.body.type);
    if (!hasBraces && parameters < 5) return;
    found.push({ node, parameters, lines: file.lineOf(node.end - 1) - file.lineOf(node.start) + 1 });
  });
  return found;
}

const isThis = (parameter: Node): boolean => parameter.type === 'Identifier' && parameter.name === 'this';

/** `value as Type`, without `as const`. */
export function isCast(node: Node): boolean {
  if (node.type === 'TSTypeAssertion') return true;
  if (node.type !== 'TSAsExpression') return false;
  const { typeAnnotation: type } = node;
  return !(type.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name === 'const');
}

/** A `catch` or `.catch()` that does nothing with the error. */
export function isSwallowedCatch(node: Node): boolean {
  if (node.type === 'CatchClause') return (node satisfies CatchClause).body.body.length === 0;
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const { property } = node.callee;
  const [handler] = node.arguments;
  if (property.type !== 'Identifier' || property.name !== 'catch' || handler === undefined) return false;
  if (handler.type !== 'ArrowFunctionExpression' && handler.type !== 'FunctionExpression') return false;
  return handler.params.length === 0 && returnsNothing(handler.body);
}

function returnsNothing(body: Node | null): boolean {
  if (body === null) return true;
  if ('body' in body && Array.isArray(body.body))
    return body.body.every((statement) => returnsNothing(statement as Node));
  if (body.type === 'ExpressionStatement') return returnsNothing(body.expression);
  return (body.type === 'Identifier' && body.name === 'undefined') || (body.type === 'Literal' && body.value === null);
}

/** Whether a comment within the node, on its last line or on the line above gives the reason. */
export function hasReason(file: SourceFile, node: Node): boolean {
  const first = file.lineOf(node.start);
  const last = file.lineOf(node.end - 1);
  return file.comments.some(({ start, end }) => file.lineOf(end - 1) >= first - 1 && file.lineOf(start) <= last);
}

export interface ExportedDeclaration {
  node: Node;
  documented: boolean;
}

/** Exported declarations, and whether a doc comment ends directly before each. */
export function exportsOf(file: SourceFile): ExportedDeclaration[] {
  const docEnds = file.comments
    .filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
    .map(({ end }) => end);
  return file.program.body
    .filter((node) => node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration')
    .filter((node) => node.declaration !== null)
    .map((node) => ({
      node,
      documented: docEnds.some((end) => end <= node.start && file.text.slice(end, node.start).trim() === ''),
    }));
}
