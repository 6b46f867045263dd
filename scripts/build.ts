import { buildConsole } from './lib/console.ts';

await buildConsole();
