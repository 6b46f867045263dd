import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { callsOf, type FirstCalls } from './first-calls.ts';

/** What a page loads before it is complete, as `routes.json` beside the manifest says it. */
export interface RouteFiles {
  /** Scripts that the page itself does not name, in any language. */
  scripts: string[];
  /** Scripts with its texts, by language. */
  texts: Record<string, string[]>;
  /** What it asks the API at once. */
  calls: FirstCalls;
}

export interface PageFiles {
  /** What every page loads: its entry with all that this one imports. */
  scripts: string[];
  styles: string[];
  fonts: string[];
  routes: Record<string, RouteFiles>;
}

interface Chunk {
  type: 'chunk';
  fileName: string;
  isEntry: boolean;
  imports: string[];
  moduleIds: string[];
}

type Info = (id: string) => { code: string | null; importedIds: string[]; dynamicallyImportedIds: string[] } | null;

const source = fileURLToPath(new URL('src/', import.meta.url));
const frames = { panel: `${source}app/panel/panel-route.tsx`, public: `${source}app/public/public-route.tsx` };

/** Writes which files each route needs first, so that the server can have the browser load them at once. */
export function routeFiles(): Plugin {
  return {
    name: 'route-files',
    apply: 'build',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
      const styles = Object.keys(bundle).filter((file) => file.endsWith('.css'));
      const fonts = Object.keys(bundle).filter((file) => file.includes('roboto-text'));
      const files = pageFiles(chunks, (id) => this.getModuleInfo(id));
      const page: PageFiles = { ...files, styles, fonts };
      this.emitFile({ type: 'asset', fileName: '.vite/routes.json', source: JSON.stringify(page) });
    },
  };
}

function pageFiles(chunks: Chunk[], info: Info): Pick<PageFiles, 'scripts' | 'routes'> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const fileOf = new Map(chunks.flatMap(({ fileName, moduleIds }) => moduleIds.map((id) => [id, fileName] as const)));
  const languages = [...fileOf.keys()].flatMap((id) => /\/i18n\/(\w+)\/app\.ts$/.exec(id)?.[1] ?? []);
  const withImports = (roots: string[]): string[] => {
    const found = new Set<string>();
    const visit = (file: string): void => {
      if (found.has(file)) return;
      found.add(file);
      byName.get(file)?.imports.forEach(visit);
    };
    roots.forEach(visit);
    return [...found];
  };
  const scripts = withImports(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  const filesOf = (ids: string[]): string[] =>
    withImports(ids.flatMap((id) => fileOf.get(id) ?? [])).filter((file) => !scripts.includes(file));

  const filesOfRoute = ([path, route]: [string, string]): [string, RouteFiles] => {
    const parts = [frames[path.startsWith('/panel') ? 'panel' : 'public'], route].flatMap((id) => partsOf(id, info));
    const names = new Set(['app', ...parts.filter(isLoader).flatMap((id) => namespacesOf(id, info))]);
    const texts = languages.map((language): [string, string[]] => [
      language,
      filesOf(
        [...names].map(
          (name) => `${source}i18n/${language}/${name.replace(/[A-Z]/g, (upper) => `-${upper.toLowerCase()}`)}.ts`,
        ),
      ),
    ]);
    return [path, { scripts: filesOf(parts), texts: Object.fromEntries(texts), calls: callsOf(path) }];
  };
  return { scripts, routes: Object.fromEntries(routesIn(['screens', 'screens/panel']).map(filesOfRoute)) };
}

/** The parts of a route that its page needs: its component and its loader. */
const partsOf = (route: string, info: Info): string[] =>
  (info(route)?.dynamicallyImportedIds ?? []).filter((id) => !id.includes('not-found'));

const isLoader = (id: string): boolean => id.includes('?');

/** Names of the texts that a loader waits for. */
function namespacesOf(loader: string, info: Info): string[] {
  const { code, importedIds = [] } = info(loader) ?? {};
  const calls = [...(code ?? '').matchAll(/\bload(Screen|Texts)\(([^;]*?)(?:\]|\))/g)];
  const here = calls.flatMap(([, kind, words = '']) => [
    ...(kind === 'Screen' ? ['shared'] : []),
    ...[...words.matchAll(/["'](\w+)["']/g)].map(([, name = '']) => name),
  ]);
  // A loader that two addresses share lies in a file of its own.
  const beside = importedIds.filter((id) => /\/src\/screens\/.+\/load-[\w-]+\.ts$/.test(id));
  return [...here, ...beside.flatMap((id) => namespacesOf(id, info))];
}

/** Every address with the file of its route. */
function routesIn(folders: string[]): [path: string, route: string][] {
  return folders.flatMap((folder) =>
    readdirSync(source + folder).flatMap((name): [string, string][] => {
      const route = `${source}${folder}/${name}/route.tsx`;
      const base = folder.replace('screens', '');
      const path = name === 'home' ? base || '/' : `${base}/${name.replaceAll('.', '/')}`;
      return existsSync(route) ? [[path, route]] : [];
    }),
  );
}
