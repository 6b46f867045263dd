import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Writes `.br` and `.gz` next to every text file above 1 KB; the server only picks one. */
export const compress = (): Plugin => ({
  name: 'compress',
  apply: 'build',
  // Not closeBundle, which also runs after a failed build and would hide its error.
  writeBundle({ dir = '' }) {
    for (const file of globSync(`${dir}/{*,assets/*,icons/*}.{js,css,html,svg,json,txt}`)) {
      const content = readFileSync(file);
      if (content.length > 1024) writeFileSync(`${file}.br`, brotliCompressSync(content));
      if (content.length > 1024) writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    }
  },
});
