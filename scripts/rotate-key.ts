import { readConfig } from '../server/src/config.ts';
import { changeDataKey } from '../server/src/data-key/change-data-key.ts';
import { RotationError } from '../server/src/data-key/rotate-key.ts';
import { openStorage } from '../server/src/db/open.ts';
import { isAlive } from '../server/src/jobs/open-calls.ts';

/**
 * Encrypts every secret of the database that DATA_DIR or DATABASE_URL names with a new key, while no server runs on it.
 * Where the key is in DATA_DIR/secret.key, a random one takes its place, and the old one is kept as secret.key.old; where
 * it is in SECRET_KEY, NEW_SECRET_KEY names the next. When it was broken off, run it again.
 */
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const set = (name: string): string | undefined => process.env[name] || undefined;

const config = readConfig(process.env);
const storage = openStorage(config);
try {
  const inFile = set('SECRET_KEY') === undefined;
  const { secrets, finished } = await changeDataKey({
    db: storage.db,
    dataDir: config.dataDir,
    present: config.secretKey,
    inFile,
    next: set('NEW_SECRET_KEY'),
    isAlive: (node) => isAlive(node, Math.floor(Date.now() / 1000)),
  });
  say(finished ? 'The database had been encrypted anew already.' : `${secrets} secrets were encrypted anew.`);
  if (inFile) say('secret.key holds the new key. Backups made before need secret.key.old: keep it with them.');
  else say('Start the server with the new SECRET_KEY. Backups made before need the old one: keep it with them.');
} catch (error) {
  if (!(error instanceof RotationError)) throw error;
  process.stderr.write(`The key was not changed.\n${error.message}\n`);
  process.exitCode = 1;
} finally {
  await storage.close();
}
