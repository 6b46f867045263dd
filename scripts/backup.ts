import path from 'node:path';
import { LEAST_PASSPHRASE } from '@relay-hub/contract';
import { flag, readCommand, text, whole } from '../server/src/process/command-line.ts';
import { BackupError } from '../server/src/backup/backup-error.ts';
import { startBackup } from '../server/src/backup/recorded-backup.ts';
import { writeBackup } from '../server/src/backup/write-backup.ts';
import { pruneBackups } from '../server/src/backup/prune-backups.ts';
import { isCurrent } from '../server/src/db/migrate.ts';
import { openSecrets } from '../server/src/secrets.ts';
import { checkDataKey } from '../server/src/start/first-start.ts';
import { onPresentHub } from './lib/present-hub.ts';

const failed = 'No backup was made.';
let told = 0;

const options = readCommand({
  name: 'backup',
  about:
    'Writes a backup of the database of DATA_DIR or DATABASE_URL, with its journal, into an archive; see docs/backup.md. ' +
    'The server may be running.',
  options: {
    to: text('<folder>', 'folder of the archives; default: DATA_DIR/backups', undefined),
    media: flag('also the stored result files of tasks'),
    keep: whole('<number>', 'afterwards, keep only so many archives of this installation', 0),
    days: whole('<number>', 'afterwards, remove archives that are older', 0),
  },
  more: `BACKUP_PASSPHRASE (${LEAST_PASSPHRASE} characters or more) encrypts the archive and adds the data key.`,
});
const passphrase = process.env['BACKUP_PASSPHRASE'] || undefined;
if (passphrase !== undefined && passphrase.length < LEAST_PASSPHRASE) {
  process.stderr.write(`${failed}\nBACKUP_PASSPHRASE needs ${LEAST_PASSPHRASE} characters or more.\n`);
  process.exitCode = 1;
} else
  await onPresentHub(
    failed,
    { secret: passphrase !== undefined, older: true, kinds: [BackupError] },
    async ({ db }, config) => {
      // An archive with another key could not be restored.
      if (passphrase !== undefined) await checkDataKey(db, openSecrets(config.secretKey));
      const now = Math.floor(Date.now() / 1000);
      const retention = { count: options.keep, days: options.days };
      const folder = path.resolve(options.to ?? path.join(config.dataDir, 'backups'));
      const wanted = { folder, passphrase, media: options.media, now, retention, progress };
      let written: Awaited<ReturnType<typeof writeBackup>>;
      if (await isCurrent(db)) {
        const run = await startBackup(db, config, wanted, { cause: 'command', actorId: 0, slot: null });
        if (!run) throw new BackupError('Another backup is running.');
        written = await run.done;
      } else {
        // An older schema has no list of backups.
        written = await writeBackup(config, wanted);
        await pruneBackups(folder, written.databaseId, retention, now);
      }
      const mib = (written.bytes / 1024 / 1024).toFixed(2);
      process.stdout.write(`${written.file} (${mib} MiB)\n`);
      process.stdout.write(
        passphrase === undefined
          ? 'It is not encrypted and has no data key: keep SECRET_KEY or DATA_DIR/secret.key in another place.\n'
          : 'It is encrypted and has the data key: the passphrase is all that is needed to restore it.\n',
      );
    },
  );

function progress(done: number): void {
  if (Date.now() - told < 1000) return;
  told = Date.now();
  process.stderr.write(`${Math.floor(done * 100)} %\n`);
}
