import { enableCompileCache } from 'node:module';

enableCompileCache();

const { buildConsole } = await import('./lib/console.ts');
const { root } = await import('./lib/run.ts');

await buildConsole({ quiet: true });
process.chdir(root);
await import('../server/src/main.ts');
