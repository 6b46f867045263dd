import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Config, ConfigError, readConfig } from '../../server/src/config.ts';
import { MigrationError, refuseNewer, refuseUnlessCurrent } from '../../server/src/db/migrate.ts';
import { openStorage, type Storage } from '../../server/src/db/open.ts';
import { DataKeyError } from '../../server/src/start/first-start.ts';
import { closeSoon, reach } from '../../server/src/start/start-problems.ts';

type Kind = new (...args: never[]) => Error;

/**
 * Runs a command on the existing database of DATA_DIR or DATABASE_URL, and closes it. If that is impossible, or the
 * command is refused with one of the `kinds`, prints the reason after `failed` and exits with 1 without changes.
 * `secret`: the command also needs the data key. `older`: it can read the schema of an older version.
 */
export async function onPresentHub(
  failed: string,
  { secret, older = false, kinds = [] }: { secret: boolean; older?: boolean; kinds?: Kind[] },
  work: (storage: Storage, config: Config) => Promise<void>,
): Promise<void> {
  try {
    refuseIfAbsent(secret);
    const config = readConfig(
      secret ? process.env : { ...process.env, SECRET_KEY: process.env['SECRET_KEY'] || NO_KEY },
    );
    const storage = openStorage(config);
    try {
      await reach(storage.db, config);
      await (older ? refuseNewer(storage.db) : refuseUnlessCurrent(storage.db));
      await work(storage, config);
    } finally {
      await closeSoon(storage);
    }
  } catch (error) {
    if (![ConfigError, MigrationError, DataKeyError, ...kinds].some((kind) => error instanceof kind)) throw error;
    process.stderr.write(`${failed}\n${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

/** Key for commands that read no secrets, so that no key file is created. */
const NO_KEY = 'no secret is read by this command';

/** Without this check, opening an empty folder would create a key and a database. */
function refuseIfAbsent(secret: boolean): void {
  const set = (name: string): boolean => Boolean(process.env[name]);
  const folder = path.resolve(process.env['DATA_DIR'] || './data');
  const has = (file: string): boolean => existsSync(path.join(folder, file));
  if (secret && !set('SECRET_KEY') && !has('secret.key'))
    throw new ConfigError(
      `The data key is not here: set SECRET_KEY, or DATA_DIR to where secret.key is. It is not in ${folder}.`,
    );
  if (!set('DATABASE_URL') && !has('relay-hub.db'))
    throw new ConfigError(`The database is not here: set DATA_DIR or DATABASE_URL. It is not in ${folder}.`);
}
