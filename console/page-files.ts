import type { Plugin, Rolldown } from 'vite';
import { routes } from './routes.ts';
import type * as FirstCalls from './src/app/first-calls.ts';

const source = `${import.meta.dirname}/src/`;
const head = /(<title>)([^]*?)\s*(<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>)([^]*)(?=<\/body>)/;
const hint = 'rel="preload" as="style" crossorigin';
const languages = ['zh_CN', 'zh_HK', 'en_US', 'ja_JP'];

/** Writes `.vite/routes.json`: the files and calls that each page begins with, for the server to preload. */
export const pageFiles = (): Plugin => ({
  name: 'page-files',
  apply: 'build',
  // The stylesheet goes behind the splash of index.html, which is painted meanwhile, but is requested first.
  transformIndexHtml: { order: 'post', handler: (html) => html.replace(head, `<link ${hint} href="$4">$1$2$5$3`) },
  async generateBundle(_, bundle) {
    const { firstCalls } = (await import(`${source}app/first-calls.ts`)) as typeof FirstCalls;
    const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
    const withImports = (roots: Rolldown.OutputChunk[]): string[] => {
      const files = new Set(roots.map(({ fileName }) => fileName));
      for (const file of files)
        chunks.find((chunk) => chunk.fileName === file)?.imports.forEach((each) => files.add(each));
      return [...files];
    };
    const base = withImports(chunks.filter(({ isEntry }) => isEntry));
    const filesOf = (ids: string[]): string[] => {
      const roots = chunks.filter(({ moduleIds }) => moduleIds.some((id) => ids.includes(id)));
      return withImports(roots).filter((file) => !base.includes(file));
    };
    /** Texts that a route loads: the names in its calls, or in those of a `load-….ts` that it imports. */
    const namespacesOf = (route: string): string[] => {
      const { code, importedIds = [] } = this.getModuleInfo(route) ?? {};
      const calls = [...(code ?? '').matchAll(/\b(?:loadScreen\([^[;]*\[|loadTexts\()([^\])]*)/g)].join();
      const names = [...calls.matchAll(/["'](\w+)["']/g)].map(([, name = '']) => name);
      return [...names, ...importedIds.filter((id) => /screens.+load-[\w-]+\.ts$/.test(id)).flatMap(namespacesOf)];
    };
    const pageOf = (address: string, ids: string[]): object => {
      const parts = ids.flatMap((id) => this.getModuleInfo(id)?.dynamicallyImportedIds ?? []);
      const ends = ['', ...ids.flatMap(namespacesOf).map((name) => `/${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`)];
      const texts = languages.map((code) => [code, filesOf(ends.map((end) => `${source}i18n/${code}${end}.ts`))]);
      const scripts = filesOf(parts.filter((id) => !id.includes('not-found')));
      return { scripts, texts: Object.fromEntries(texts), calls: firstCalls(address) };
    };
    const pages = routes.children.flatMap(({ path = '', file: layout, children }) =>
      children.map(({ file, ...route }) => {
        const address = path + ('path' in route ? route.path : '') || '/';
        return [address, pageOf(address, [source + layout, source + file])];
      }),
    );
    const named = (part: string): string[] => Object.keys(bundle).filter((file) => file.includes(part));
    const all = {
      scripts: base,
      styles: named('.css'),
      fonts: named('roboto-text'),
      routes: Object.fromEntries(pages),
    };
    this.emitFile({ type: 'asset', fileName: '.vite/routes.json', source: JSON.stringify(all) });
  },
});
