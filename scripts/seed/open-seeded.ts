import path from 'node:path';
import { confirm } from '../../server/src/process/command-line.ts';
import { type Config, readConfig } from '../../server/src/config.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { openStorage, type Storage } from '../../server/src/db/open.ts';
import { openSecrets, type Secrets } from '../../server/src/secrets.ts';
import { prepare } from '../../server/src/start/first-start.ts';
import { lockFolder } from '../../server/src/start/folder-lock.ts';

/**
 * Asks whether made-up data may be written into DATA_DIR or DATABASE_URL, and opens it. A folder that a server uses is
 * refused. `since`: time of the first start.
 */
export async function openSeeded(
  isConfirmed: boolean,
  since: number,
): Promise<{ config: Config; secrets: Secrets; storage: Storage }> {
  const isElsewhere = Boolean(process.env['DATABASE_URL']);
  const place = isElsewhere ? 'the database at DATABASE_URL' : path.resolve(process.env['DATA_DIR'] || './data');
  await confirm(`Write made-up users and calls into ${place}? They cannot be removed again.`, isConfirmed);
  const config = readConfig(process.env);
  // Held until the process ends.
  if (config.databaseUrl === undefined) lockFolder(config.dataDir);
  const secrets = openSecrets(config.secretKey);
  const storage = openStorage(config);
  await migrate(storage.db);
  await prepare(storage.db, secrets, config.rootPassword ?? 'relay-hub-demo', since);
  return { config, secrets, storage };
}
