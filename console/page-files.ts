import { createHash } from 'node:crypto';
import { runnerImport, type Plugin, type Rolldown } from 'vite';
import { pages, rootsOf } from './chunks.ts';
import type * as PageStarts from './src/app/page-starts.ts';

const source = `${import.meta.dirname}/src/`;
const head = /(<title>)([^]*?)\s*(<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>)([^]*)(?=<\/body>)/;
const hint = 'rel="preload" as="style" crossorigin';

/**
 * Writes `.vite/routes.json`: the scripts, texts and calls that each page begins with, for the server. The texts of a
 * page are one file for each language, since a request costs more than their bytes.
 */
export const pageFiles = (): Plugin => ({
  name: 'page-files',
  apply: 'build',
  // The stylesheet goes behind the splash of index.html, which is painted meanwhile, but is requested first.
  transformIndexHtml: { order: 'post', handler: (html) => html.replace(head, `<link ${hint} href="$4">$1$2$5$3`) },
  async generateBundle(_, bundle) {
    const inNode = { configFile: false, root: import.meta.dirname, logLevel: 'warn' } as const;
    const { module: starts } = await runnerImport<typeof PageStarts>(`${source}app/page-starts.ts`, inNode);
    const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
    const withImports = (roots: Rolldown.OutputChunk[]): string[] => {
      const files = new Set(roots.map(({ fileName }) => fileName));
      for (const file of files)
        chunks.find((chunk) => chunk.fileName === file)?.imports.forEach((each) => files.add(each));
      return [...files];
    };
    const filesOf = (ids: string[]): string[] =>
      withImports(chunks.filter(({ moduleIds }) => moduleIds.some((id) => ids.includes(id))));
    const base = filesOf([`${source}main.tsx`]);
    const textFile = (texts: object): string => {
      const code = `export default ${JSON.stringify(texts)}`;
      const hash = createHash('sha256').update(code).digest('base64url').slice(0, 8);
      const fileName = `assets/texts-${hash}.js`;
      if (!bundle[fileName]) this.emitFile({ type: 'asset', fileName, source: code });
      return fileName;
    };
    const pageOf = ({ address, files }: (typeof pages)[number]): object => {
      const start = starts.pageStarts[address];
      if (!start) throw new Error(`nothing is known of the page ${address}`);
      const texts = Object.entries(start.texts).map(([code, each]) => [code, textFile(each)]);
      const roots = rootsOf(files, (id) => this.getModuleInfo(id));
      const scripts = filesOf(roots).filter((file) => !base.includes(file));
      return { scripts, texts: Object.fromEntries(texts), calls: start.calls };
    };
    const named = (part: string): string[] => Object.keys(bundle).filter((file) => file.includes(part));
    const all = {
      scripts: base,
      styles: named('.css'),
      fonts: named('roboto-text'),
      routes: Object.fromEntries(pages.map((page) => [page.address, pageOf(page)])),
    };
    this.emitFile({ type: 'asset', fileName: '.vite/routes.json', source: JSON.stringify(all) });
  },
});
