import { createServer, type AddressInfo, type Server } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { ConfigError, readConfig } from '#config.ts';
import { startServer } from '#server.ts';
import { closeSoon, listenProblem, reach } from './start-problems.ts';

let folder: string;
let silent: Server;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'start-'));
  // Takes connections and never says a word.
  silent = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  silent.close();
  rmSync(folder, { recursive: true });
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const configFor = (port: number) =>
  readConfig({
    DATA_DIR: folder,
    DATABASE_URL: `postgres://hub:secret-word@127.0.0.1:${port}/hub`,
    LOG_LEVEL: 'silent',
  });

test('a database that refuses connections is reported in one line with its variable', async () => {
  const port = portOf(silent);
  await new Promise((resolve) => silent.close(resolve));
  const problem = await startServer(configFor(port)).catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(ConfigError);
  expect((problem as Error).message).toBe(
    `The database at DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:${port}.`,
  );
});

test('a silent database does not block the start forever', async () => {
  const config = configFor(portOf(silent));
  const storage = openStorage(config);
  await expect(reach(storage.db, config, 50)).rejects.toThrow(
    'The database at DATABASE_URL cannot be used: nothing answered within 1 seconds.',
  );
  await closeSoon(storage, 50);
});

test.each([
  ['EADDRINUSE', /^PORT 3210 is in use/],
  ['EACCES', /^PORT 3210 may not be used/],
  ['EADDRNOTAVAIL', /^HOST 10\.0\.0\.1 is no address/],
  ['ENOTFOUND', /^HOST 10\.0\.0\.1 is no address/],
])('%s names the variable to change', (code, text) => {
  const config = readConfig({ DATA_DIR: folder, PORT: '3210', HOST: '10.0.0.1' });
  const problem = listenProblem(Object.assign(new Error(code), { code }), config);
  expect(problem).toBeInstanceOf(ConfigError);
  expect((problem as Error).message).toMatch(text);
});

test('errors unrelated to port or host are unchanged', () => {
  const error = new Error('something else');
  expect(listenProblem(error, readConfig({ DATA_DIR: folder }))).toBe(error);
});
