import tailwindcss from '@tailwindcss/vite';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkNames } from './chunks.ts';
import { compress } from './compress.ts';
import { pageFiles } from './page-files.ts';
import { routes } from './routes.ts';

const server = process.env['RELAY_HUB_ADDRESS'] ?? 'http://127.0.0.1:3000';

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
    }),
    react(),
    tailwindcss(),
    pageFiles(),
    compress(),
  ],
  // Scripts and styles find other files next to them, so that a hub can be below any path. The server knows it, and
  // changes the addresses in the page.
  experimental: { renderBuiltUrl: (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true }) },
  build: {
    target: 'esnext',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Changes rarely, so browsers keep it over releases.
            { name: 'vendor', tags: ['$initial'], test: /node_modules/, priority: 5 },
            { name: chunkNames(), priority: 4, includeDependenciesRecursively: false, debugName: 'pages' },
            // Tables of charts open later.
            { name: 'chart', test: /ui.chart(?!.(figures|.*table))/, priority: 3 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': server, '/v1': server } },
});
