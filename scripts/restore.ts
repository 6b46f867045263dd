import { existsSync } from 'node:fs';
import path from 'node:path';
import { commandLine, confirm, flag, needed, readCommand, yes } from '../server/src/process/command-line.ts';
import { BackupError } from '../server/src/backup/backup-error.ts';
import { ID_FILE, SQLITE_FILE } from '../server/src/backup/manifest.ts';
import { replayRestored } from '../server/src/backup/replay-restored.ts';
import { restoreBackup } from '../server/src/backup/restore-backup.ts';
import { isCurrent } from '../server/src/db/migrate.ts';
import { checkBooks } from '../server/src/features/books/check-books.ts';
import { journalFolder } from '../server/src/quota/journal.ts';
import { onPresentHub } from './lib/present-hub.ts';
import { printBooks } from './lib/print-books.ts';

const failed = 'Nothing was restored.';
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const set = (name: string): string | undefined => process.env[name] || undefined;

const {
  from,
  force,
  yes: isConfirmed,
} = readCommand({
  name: 'restore',
  about:
    'Restores a backup into DATA_DIR, and with DATABASE_URL into that empty PostgreSQL database; see docs/backup.md. Then ' +
    `it checks the accounting as \`${commandLine('books')}\` does.`,
  options: {
    from: needed('<archive>', 'the backup'),
    force: flag('replace an installation that is newer than the backup; its files are moved aside'),
    yes,
  },
  more: 'BACKUP_PASSPHRASE opens an encrypted archive.',
});
const dataDir = path.resolve(set('DATA_DIR') ?? './data');
const isUsed = [ID_FILE, SQLITE_FILE].some((name) => existsSync(path.join(dataDir, name)));
if (isUsed) await confirm(`Replace the installation in ${dataDir}? Its files are moved aside.`, isConfirmed || force);

async function restore(): Promise<boolean> {
  try {
    const { manifest, aside } = await restoreBackup(
      {
        dataDir,
        databaseUrl: set('DATABASE_URL'),
        secretKey: set('SECRET_KEY'),
      },
      { archive: from, passphrase: set('BACKUP_PASSPHRASE'), force },
    );
    say(`Restored the backup of ${new Date(manifest.created_time * 1000).toISOString()}.`);
    if (aside !== undefined) say(`The files before it are in ${aside}.`);
    return true;
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    process.stderr.write(`${failed}\n${error.message}\n`);
    return false;
  }
}

if (!(await restore())) process.exitCode = 1;
else
  await onPresentHub('The accounting was not checked.', { secret: false, older: true }, async (storage) => {
    if (!(await isCurrent(storage.db))) {
      say(
        `The backup is of an older version. Start the hub once, which updates it, and then run \`${commandLine('books')}\`.`,
      );
      return;
    }
    await replayRestored(storage, dataDir);
    const report = await checkBooks(storage, journalFolder(dataDir), { full: true });
    printBooks(report);
    process.exitCode = report.balanced ? 0 : 1;
  });
