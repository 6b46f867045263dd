import path from 'node:path';
import { confirm, readCommand, yes } from '../server/src/process/command-line.ts';
import { changeDataKey } from '../server/src/data-key/change-data-key.ts';
import { RotationError } from '../server/src/data-key/rotate-key.ts';
import { livingNodes } from '../server/src/jobs/open-calls.ts';
import { onPresentHub } from './lib/present-hub.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const set = (name: string): string | undefined => process.env[name] || undefined;

const { yes: isConfirmed } = readCommand({
  name: 'rotate-key',
  about:
    'Encrypts every secret in the database of DATA_DIR or DATABASE_URL with a new key, while no server uses it. A key in ' +
    'DATA_DIR/secret.key is replaced by a random one, and the old one is kept as secret.key.old. A key in SECRET_KEY is ' +
    'replaced by NEW_SECRET_KEY. After an interruption, run it again.',
  options: { yes },
});
const place = set('DATABASE_URL') === undefined ? path.resolve(set('DATA_DIR') ?? './data') : 'DATABASE_URL';
await confirm(`Encrypt every secret in the database of ${place} with a new key?`, isConfirmed);

await onPresentHub('The key was not changed.', { secret: true, kinds: [RotationError] }, async ({ db }, config) => {
  const inFile = set('SECRET_KEY') === undefined;
  const { secrets, finished } = await changeDataKey({
    db,
    dataDir: config.dataDir,
    present: config.secretKey,
    inFile,
    next: set('NEW_SECRET_KEY'),
    isAlive: await livingNodes(db),
  });
  say(
    finished
      ? 'The database was already encrypted with the new key.'
      : `${secrets} secrets were encrypted with the new key.`,
  );
  if (inFile) say('secret.key holds the new key. Older backups need secret.key.old: keep it with them.');
  else say('Start the server with the new SECRET_KEY. Older backups need the old key: keep it with them.');
});
