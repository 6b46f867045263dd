import { readCommand } from '../server/src/process/command-line.ts';
import { buildConsole } from './lib/console.ts';

readCommand({ name: 'build', about: 'Builds the console, unless it was built from the same sources.' });

await buildConsole();
