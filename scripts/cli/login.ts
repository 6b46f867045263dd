import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { userApi } from '@relay-hub/contract';
import { keepInstead } from '../../server/src/process/atomic-file.ts';
import { needed, readCommand } from '../../server/src/process/command-line.ts';
import { addressOf, checkedKey, client, plain, settingsFile } from './hub-client.ts';
import { say } from './output.ts';

/** Keeps an address and an access key that works, in a file that its owner alone can read. */
export async function loginCommand(): Promise<number> {
  const given = readCommand({
    name: 'cli login',
    about:
      'Keeps the address of a hub and an access key for the other commands, in a file that you alone can read. The key is ' +
      'read from the input, so that no list of processes shows it.',
    options: { hub: needed('<address>', 'address of the hub') },
    more: 'Access keys are made in the console: Profile, Access keys.',
  });
  const hub = addressOf(given.hub);
  const key = checkedKey(await readKey());
  const { username } = await client(hub, key).call(userApi.self);
  const file = settingsFile();
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  keepInstead(file, `${JSON.stringify({ hub, key })}\n`);
  say(`${hub} as ${plain(username)}, kept in ${file}.`);
  return 0;
}

/** Reads a line from a terminal without echo. */
async function readKey(): Promise<string> {
  if (!process.stdin.isTTY) return textOf(process.stdin);
  process.stderr.write('Access key: ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  const key = await terminal.question('');
  terminal.close();
  process.stderr.write('\n');
  return key;
}
