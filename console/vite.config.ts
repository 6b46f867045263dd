import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunks, libraries, schemas } from './chunks.ts';
import { compress } from './compress.ts';
import { directImports } from './direct-imports.ts';
import { lateStyles } from './late-styles.ts';
import { lightContract } from './light-contract.ts';
import { lightIcons } from './light-icons.ts';
import { lightQueries } from './light-queries.ts';
import { routeFiles } from './route-files.ts';
import { routes } from './routes.ts';

const ours = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const server = process.env['RELAY_HUB_ADDRESS'] ?? 'http://127.0.0.1:3000';

// The default export is what Vite asks for.
export default defineConfig({
  plugins: [
    tanstackRouter({
      target: 'react',
      virtualRouteConfig: routes,
      routesDirectory: './src',
      generatedRouteTree: './src/app/route-tree.gen.ts',
      quoteStyle: 'single',
      semicolons: true,
      addExtensions: true,
      // Components are lazy already; what they load is asked for with them.
      autoCodeSplitting: true,
      codeSplittingOptions: { defaultBehavior: [['loader']] },
    }),
    react(),
    tailwindcss(),
    lightContract(),
    lightIcons(),
    lightQueries(),
    directImports(),
    routeFiles(),
    lateStyles(),
    compress(),
  ],
  resolve: {
    alias: [
      // Both stand in for the libraries, whose types they keep: docs/decisions/0013 tells why.
      { find: 'i18next', replacement: ours('./src/i18n/light/i18next.ts') },
      { find: 'react-i18next', replacement: ours('./src/i18n/light/react-i18next.ts') },
      // React has had what the shim brings since version 18.
      { find: 'use-sync-external-store/shim/with-selector', replacement: 'use-sync-external-store/with-selector' },
    ],
  },
  build: {
    target: 'esnext',
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // What is there already need not be named again with everything that can come later.
      resolveDependencies: (_, files, { hostType }) =>
        hostType === 'html'
          ? files
          : files.filter((file) => !/\/(index|vendor|rolldown-runtime|panel|list|kit)-/.test(file)),
    },
    reportCompressedSize: false,
    // Few chunks: a request costs more than the bytes, and small files compress badly.
    rolldownOptions: {
      output: {
        // Names stand in the first script for whatever can be loaded later.
        entryFileNames: 'assets/[name]-[hash:7].js',
        // Parts of libraries have long ones that tell nobody anything.
        chunkFileNames: ({ name }) =>
          /^(?:use)?[A-Z]/.test(name) ? 'assets/[hash:7].js' : 'assets/[name]-[hash:7].js',
        codeSplitting: {
          // A module's place is settled by chunks.ts, not by who imports it first.
          includeDependenciesRecursively: false,
          groups: [
            // What forms check with; no page needs it before one is opened.
            { name: 'schema', test: schemas, priority: 3 },
            { name: 'vendor', test: libraries, priority: 2 },
            { name: chunks(ours('./index.html')), debugName: 'by use', priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': server, '/v1': server } },
});
