import { enableCompileCache } from 'node:module';
import path from 'node:path';

enableCompileCache();

const { buildConsole } = await import('./lib/console.ts');
const { root } = await import('./lib/run.ts');

await buildConsole();
process.chdir(root);
await import(path.join(root, 'server/src/main.ts'));
