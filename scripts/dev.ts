import { spawn } from 'node:child_process';
import path from 'node:path';
import { readCommand } from '../server/src/process/command-line.ts';
import { root, say } from './lib/run.ts';

readCommand({
  name: 'dev',
  about: 'Starts the server, restarted when its sources change, and the console with hot reloading in front of it.',
});

const node = (...args: string[]) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });

say('server at http://localhost:3000, console with hot reloading at http://localhost:5173');
const server = node('--watch-path=server/src', '--watch-path=contract/src', 'server/src/main.ts');
const vite = spawn(path.join(root, 'node_modules/.bin/vite'), [], {
  cwd: path.join(root, 'console'),
  stdio: 'inherit',
});

const stop = (): void => {
  server.kill();
  vite.kill();
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
for (const child of [server, vite]) child.on('exit', stop);
