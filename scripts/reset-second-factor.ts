import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../server/src/config.ts';
import { openStorage } from '../server/src/db/open.ts';
import { RegainError, regainAccess } from '../server/src/features/second-factor/regain-access.ts';
import { checkDataKey, DataKeyError } from '../server/src/first-start.ts';
import { openSecrets } from '../server/src/secrets.ts';

/**
 * `--user root` takes second factor and passkeys off an account of the database that DATA_DIR or DATABASE_URL names, and
 * signs it out everywhere; its password stays as it is. The server may be running. Only whoever has the data key can do
 * it: SECRET_KEY, or secret.key in DATA_DIR.
 */
function refuse(line: string): void {
  process.stderr.write(`Nothing was changed.\n${line}\n`);
  process.exitCode = 1;
}

async function reset(user: string): Promise<void> {
  const config = readConfig(process.env);
  const storage = openStorage(config);
  try {
    await checkDataKey(storage.db, openSecrets(config.secretKey));
    const { totp, passkeys, sessions } = await regainAccess(storage.db, user, Math.floor(Date.now() / 1000));
    const taken = totp ? 'The second factor was taken off' : 'There was no second factor to take off';
    process.stdout.write(`${taken}; ${passkeys} passkey(s) were removed and ${sessions} session(s) ended.\n`);
    process.stdout.write('Sign in with the password, then set it up anew.\n');
  } finally {
    await storage.close();
  }
}

/** Why it is not even tried. Opened without a look, a folder would get a key and a database of its own. */
function obstacle(user: string | undefined): string | undefined {
  const set = (name: string): boolean => Boolean(process.env[name]);
  const folder = path.resolve(process.env['DATA_DIR'] || './data');
  const has = (file: string): boolean => existsSync(path.join(folder, file));
  if (!user) return 'Say whose: npm run reset-second-factor -- --user root';
  if (!set('SECRET_KEY') && !has('secret.key'))
    return `The data key is not here: set SECRET_KEY, or DATA_DIR to where secret.key is. It is not in ${folder}.`;
  if (!set('DATABASE_URL') && !has('relay-hub.db'))
    return `The database is not here: set DATA_DIR or DATABASE_URL. It is not in ${folder}.`;
  return undefined;
}

const { user = '' } = parseArgs({ options: { user: { type: 'string' } } }).values;
const reason = obstacle(user);
if (reason !== undefined) refuse(reason);
else
  await reset(user).catch((error: unknown) => {
    const known = [RegainError, DataKeyError, ConfigError].some((kind) => error instanceof kind);
    if (!known) throw error;
    refuse((error as Error).message);
  });
