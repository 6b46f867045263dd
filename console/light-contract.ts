import type { Plugin } from 'vite';

/** What calling an endpoint needs of its declaration. */
const kept = new Set(['method', 'path']);

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

/**
 * Leaves of the contract's endpoints only what a call needs: where to, and how. Their schemas are the server's business
 * and would put every record of the product on the first page, 13 KiB of its 126. Schemas that are exported by name
 * stay for those who import them, and are dropped where nobody does.
 */
export function lightContract(): Plugin {
  return {
    name: 'light-contract',
    enforce: 'post',
    transform: {
      filter: { id: /\/contract\/src\/[\w-]+\.ts$/ },
      handler(code) {
        const program = this.parse(code) as unknown as Node; // ESTree, read here by the few fields below
        const inOrder = [...endpointEdits(program, code), ...makerEdits(program), ...constantEdits(program)].toSorted(
          (a, b) => b.start - a.start || b.end - a.end,
        );
        return {
          code: inOrder.reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), code),
          map: null,
        };
      },
    },
  };
}

/** `endpoint({ … })` becomes the object itself, with the kept properties. */
function endpointEdits(node: Node, code: string): Edit[] {
  const [declared] = isEndpointCall(node) ? (node['arguments'] as Node[]) : [];
  if (declared?.type === 'ObjectExpression') {
    const wanted = (declared['properties'] as Node[]).filter((property) => kept.has(nameOf(property['key'])));
    return [
      {
        start: node.start,
        end: node.end,
        text: `({ ${wanted.map(({ start, end }) => code.slice(start, end)).join(', ')} })`,
      },
    ];
  }
  return childrenOf(node).flatMap((child) => endpointEdits(child, code));
}

/** What is given to a function that makes an endpoint is left out too, but for plain texts. */
function makerEdits(program: Node): Edit[] {
  const makers = new Set(
    descendantsOf(program)
      .filter(({ type, ...node }) => type === 'VariableDeclarator' && isMaker(node['init']))
      .map((node) => nameOf(node['id'])),
  );
  return descendantsOf(program)
    .filter((node) => node.type === 'CallExpression' && makers.has(nameOf(node['callee'])))
    .flatMap((node) => node['arguments'] as Node[])
    .filter(({ type }) => type !== 'Literal')
    .map(({ start, end }) => ({ start, end, text: 'undefined' }));
}

const isMaker = (node: unknown): boolean =>
  isNode(node) && node.type === 'ArrowFunctionExpression' && isNode(node['body']) && isEndpointCall(node['body']);

const descendantsOf = (node: Node): Node[] => [node, ...childrenOf(node).flatMap(descendantsOf)];

/** Constants are made by functions without side effects, which the bundler cannot know; told so, it drops unused ones. */
function constantEdits(program: Node): Edit[] {
  const statements = (program['body'] as Node[]).map((node) =>
    node.type === 'ExportNamedDeclaration' ? (node['declaration'] as Node | null) : node,
  );
  const constants = statements.flatMap((node) =>
    node?.type === 'VariableDeclaration' ? (node['declarations'] as Node[]) : [],
  );
  return constants
    .map((constant) => constant['init'] as Node | null)
    .filter(
      (init) =>
        init !== null && ['CallExpression', 'ObjectExpression', 'ArrayExpression', 'NewExpression'].includes(init.type),
    )
    .flatMap((init) => [
      { start: init!.start, end: init!.start, text: '/* @__PURE__ */ (() => (' },
      { start: init!.end, end: init!.end, text: '))()' },
    ]);
}

const isEndpointCall = (node: Node) => node.type === 'CallExpression' && nameOf(node['callee']) === 'endpoint';
const nameOf = (node: unknown): string => String((node as { name?: string } | undefined)?.name);
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
