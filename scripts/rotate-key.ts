import { changeDataKey } from '../server/src/data-key/change-data-key.ts';
import { RotationError } from '../server/src/data-key/rotate-key.ts';
import { livingNodes } from '../server/src/jobs/open-calls.ts';
import { onPresentHub } from './lib-present-hub.ts';

/**
 * Encrypts every secret of the database that DATA_DIR or DATABASE_URL names with a new key, while no server runs on it.
 * Where the key is in DATA_DIR/secret.key, a random one takes its place, and the old one is kept as secret.key.old; where
 * it is in SECRET_KEY, NEW_SECRET_KEY names the next. When it was broken off, run it again.
 */
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const set = (name: string): string | undefined => process.env[name] || undefined;

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
  say(finished ? 'The database had been encrypted anew already.' : `${secrets} secrets were encrypted anew.`);
  if (inFile) say('secret.key holds the new key. Backups made before need secret.key.old: keep it with them.');
  else say('Start the server with the new SECRET_KEY. Backups made before need the old one: keep it with them.');
});
