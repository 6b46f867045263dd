import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const brotli = promisify(brotliCompress);
const gz = promisify(gzip);
const minBytes = 1024;
// Not the manifest in its hidden folder: only the server reads it.
const compressible = /^[^.].*\.(?:js|css|html|svg|json|txt|map)$/;

/** Writes `.br` and `.gz` beside every text asset above 1 KB, so that the server only has to pick one. */
export function compress(): Plugin {
  let folder = '';
  return {
    name: 'compress',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    // Not closeBundle: that one runs after a failed build too, and would hide its error.
    async writeBundle() {
      const files = await readdir(folder, { recursive: true });
      for (const file of files.filter((name) => compressible.test(name))) await compressFile(join(folder, file));
    },
  };
}

async function compressFile(file: string): Promise<void> {
  if ((await stat(file)).size < minBytes) return;
  const content = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  await writeFile(`${file}.br`, await brotli(content, { params }));
  await writeFile(`${file}.gz`, await gz(content, { level: 9 }));
}
