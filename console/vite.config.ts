import tailwindcss from '@tailwindcss/vite';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compress } from './compress.ts';
import { lightContract } from './light-contract.ts';
import { routes } from './routes.ts';

/** The libraries of every page; they change rarely and stay in the browser's cache. */
const vendor =
  /rolldown\/runtime|vite\/(preload-helper|modulepreload)|node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack|i18next|react-i18next|i18next-browser-languagedetector)\//;
/** What the frame of every page is made of. */
const frame =
  /lucide-react\/dist\/esm\/(\w+|icons\/(bell|globe|log-out|menu|moon|sun|triangle-alert|triangle-exclamation-point|user-round|x))\.m?js|console\/src\/(api\/|i18n\/[\w-]+\.ts|app\/(theme|theme-toggle|menu|use-\w+|notice\/notice-(store|bell))\.tsx?|shared\/(avatar|button|cx|filled|icon|menu-button|money|number|site-format|spinner|toast|toast-store|toast-mount|tooltip|use-media|note)\.tsx?)/;

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
      autoCodeSplitting: false,
    }),
    react(),
    tailwindcss(),
    lightContract(),
    compress(),
  ],
  build: {
    target: 'esnext',
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Few chunks: a request costs more than the bytes, and small files compress badly.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What forms check with; no page needs it before one is opened.
            { name: 'schema', test: /node_modules\/zod\/|contract\/src\/(values|[\w-]+-input)\.ts/, priority: 10 },
            { name: 'vendor', test: vendor },
            { name: 'frame', test: frame },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': server, '/v1': server } },
});
