import { enableCompileCache } from 'node:module';

enableCompileCache();

// Refuses unknown arguments before the console is built; the server reads them again.
(await import('../server/src/start/start-command.ts')).readStartCommand();
const { buildConsole } = await import('./lib/console.ts');
const { root } = await import('./lib/run.ts');

await buildConsole({ quiet: true });
process.chdir(root);
await import('../server/src/main.ts');
