import tailwindcss from '@tailwindcss/vite';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compress } from './compress.ts';
import { pageFiles } from './page-files.ts';
import { routes } from './routes.ts';

const server = process.env['RELAY_HUB_ADDRESS'] ?? 'http://127.0.0.1:3000';
/**
 * Small modules of several pages in one chunk, since a request costs more than their bytes; dialogs open later. What
 * only the two task screens have stays with them.
 */
const small =
  /lucide-react(?!.*icons.(clapperboard|eighth-notes|expand|text-align-start))|@tanstack|contract.src(?!.task).*(endpoints|codes|decimal|texts)\.ts|-(api|cache|state|actions)\.ts|src.(api|app|list|domain.(model|refusal|channel|ledger|quota.no-balance)|ui.(basic(?!.qr-code)|format|form.(segmented|switch)|feedback.(?!toast-)|table.entry-card))/;
const forms = /node_modules.(zod|react-hook-form|@hookform)|contract.src.(.+-input|values)\.ts/;

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
            { name: 'app', tags: ['$initial'], priority: 4 },
            { name: 'forms', test: forms, priority: 3 },
            // Else it would bring the forms to the list of the bot's commands.
            { name: 'bot-codes', test: /contract.src.telegram.codes/, priority: 5 },
            { name: 'shared', test: small, minShareCount: 2, maxModuleSize: 3500, priority: 4 },
            { name: 'table', test: /ui.table/, minShareCount: 10, priority: 1 },
            { name: 'chart', test: /ui.chart/, minShareCount: 2, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': server, '/v1': server } },
});
