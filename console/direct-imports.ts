import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

interface Specifier {
  imported?: { name?: string };
  local: { name: string };
}

interface Statement {
  type: string;
  start: number;
  end: number;
  source?: { value: string };
  specifiers?: Specifier[];
}

/** Where a name that a package hands on really lives, and what it is called there. */
interface Origin {
  file: string;
  name: string;
}

const root = new URL('..', import.meta.url).pathname;

/**
 * Makes every import of an icon or of a part of the contract name the very file it comes from. Then the graph of
 * modules says who needs what, which the bundler's chunks (chunks.ts) are made by, and nothing hangs on a barrel.
 */
export function directImports(): Plugin {
  const packages = new Map([
    ['lucide-react', iconFiles()],
    ['@relay-hub/contract', contractFiles()],
  ]);
  return {
    name: 'direct-imports',
    apply: 'build',
    enforce: 'post',
    transform: {
      filter: { id: /\/console\/src\/.+\.tsx?(\?|$)/, code: /lucide-react|@relay-hub\/contract/ },
      handler(code) {
        const { body } = this.parse(code) as unknown as { body: Statement[] }; // ESTree, read by the few fields above
        const ours = body.filter(
          ({ type, source }) => type === 'ImportDeclaration' && packages.has(source?.value ?? ''),
        );
        const put = ours.reduceRight(
          (text, { start, end, source, specifiers = [] }) =>
            text.slice(0, start) +
            specifiers.map((each) => importOf(each, packages.get(source?.value ?? ''))).join('') +
            text.slice(end),
          code,
        );
        return { code: put, map: null };
      },
    },
  };
}

function importOf({ imported, local }: Specifier, origins: Map<string, Origin> | undefined): string {
  const origin = origins?.get(imported?.name ?? '');
  if (!origin) throw new Error(`where does ${imported?.name} come from?`);
  return `import { ${origin.name} as ${local.name} } from ${JSON.stringify(origin.file)};`;
}

function iconFiles(): Map<string, Origin> {
  const folder = join(root, 'node_modules/lucide-react/dist/esm');
  const barrel = readFileSync(join(folder, 'lucide-react.mjs'), 'utf8');
  const lines = barrel.matchAll(/export \{([^}]+)\} from '\.\/([^']+)'/g);
  return new Map(
    [...lines].flatMap(([, names = '', file = '']) =>
      names.split(',').map((each): [string, Origin] => {
        const [name = '', alias = name] = each.trim().split(' as ');
        return [alias, { file: join(folder, file), name }];
      }),
    ),
  );
}

function contractFiles(): Map<string, Origin> {
  const folder = join(root, 'contract/src');
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return new Map(
    files.flatMap((name) => {
      const file = join(folder, name);
      const declared = readFileSync(file, 'utf8').matchAll(/^export (?:const|function|class|async function) (\w+)/gm);
      return [...declared].map(([, each = '']): [string, Origin] => [each, { file, name: each }]);
    }),
  );
}
