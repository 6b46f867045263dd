import { needed, readCommand } from '../server/src/process/command-line.ts';
import { RegainError, regainAccess } from '../server/src/features/account/second-factor/regain-access.ts';
import { checkDataKey } from '../server/src/start/first-start.ts';
import { openSecrets } from '../server/src/secrets.ts';
import { onPresentHub } from './lib/present-hub.ts';

const { user } = readCommand({
  name: 'reset-second-factor',
  about:
    'Removes second factor and passkeys of an account in the database of DATA_DIR or DATABASE_URL, and ends its sessions; ' +
    'the password stays valid. The server may be running. Needs the data key: SECRET_KEY, or secret.key in DATA_DIR.',
  options: { user: needed('<name>', 'name of the account, such as root') },
});
const failed = 'Nothing was changed.';
await onPresentHub(failed, { secret: true, kinds: [RegainError] }, async ({ db }, config) => {
  await checkDataKey(db, openSecrets(config.secretKey));
  const { totp, passkeys, sessions } = await regainAccess(db, user, Math.floor(Date.now() / 1000));
  const result = totp ? 'The second factor was removed' : 'The account had no second factor';
  process.stdout.write(`${result}; ${passkeys} passkey(s) were removed and ${sessions} session(s) ended.\n`);
  process.stdout.write('Sign in with the password, then set up a new second factor.\n');
});
