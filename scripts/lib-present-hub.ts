import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Config, ConfigError, readConfig } from '../server/src/config.ts';
import { MigrationError, refuseUnlessCurrent } from '../server/src/db/migrate.ts';
import { openStorage, type Storage } from '../server/src/db/open.ts';
import { DataKeyError } from '../server/src/first-start.ts';
import { closeSoon, reach } from '../server/src/start-problems.ts';

type Kind = new (...args: never[]) => Error;

/**
 * Runs a command on the database of a hub that is there already, which DATA_DIR or DATABASE_URL names, and closes it. What
 * stands against it, or a refusal of one of the `kinds`, is told in a line after `failed`, and the process ends with 1;
 * nothing is made or changed then. `secret`: the command needs the data key as well.
 */
export async function onPresentHub(
  failed: string,
  { secret, kinds = [] }: { secret: boolean; kinds?: Kind[] },
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
      await refuseUnlessCurrent(storage.db);
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

/** For commands that read nothing secret, so that none is made for them. */
const NO_KEY = 'no secret is read by this command';

/** Opened without a look, a folder would get a key and a database of its own. */
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
