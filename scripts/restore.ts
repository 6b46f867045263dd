import path from 'node:path';
import { parseArgs } from 'node:util';
import { BackupError } from '../server/src/backup/backup-error.ts';
import { replayRestored } from '../server/src/backup/replay-restored.ts';
import { restoreBackup } from '../server/src/backup/restore-backup.ts';
import { isCurrent } from '../server/src/db/migrate.ts';
import { checkBooks } from '../server/src/features/books/check-books.ts';
import { journalFolder } from '../server/src/quota/journal.ts';
import { commandLine } from './lib/command-line.ts';
import { onPresentHub } from './lib/present-hub.ts';
import { printBooks } from './lib/print-books.ts';

/**
 * Restores a backup into DATA_DIR, and with DATABASE_URL into that empty PostgreSQL database; see docs/backup.md. Then it
 * checks the accounting as `npm run books` does.
 */
const usage = `${commandLine('restore')} --from <archive> [--force]
  --force  replace an installation that is newer than the backup; its files are moved aside
BACKUP_PASSPHRASE opens an encrypted archive.`;

const failed = 'Nothing was restored.';
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const set = (name: string): string | undefined => process.env[name] || undefined;

function parsed() {
  try {
    return parseArgs({ options: { from: { type: 'string', default: '' }, force: { type: 'boolean', default: false } } })
      .values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  }
}

async function restore(archive: string, force: boolean): Promise<boolean> {
  try {
    const { manifest, aside } = await restoreBackup(
      {
        dataDir: path.resolve(set('DATA_DIR') ?? './data'),
        databaseUrl: set('DATABASE_URL'),
        secretKey: set('SECRET_KEY'),
      },
      { archive, passphrase: set('BACKUP_PASSPHRASE'), force },
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

const options = parsed();
if (!options || options.from === '') {
  process.stderr.write(`${failed}\n${usage}\n`);
  process.exitCode = 1;
} else if (!(await restore(options.from, options.force))) process.exitCode = 1;
else
  await onPresentHub(
    'The accounting was not checked.',
    { secret: false, older: true },
    async (storage, { dataDir }) => {
      if (!(await isCurrent(storage.db))) {
        say('The backup is of an older version. Start the hub once, which updates it, and then run `npm run books`.');
        return;
      }
      await replayRestored(storage, dataDir);
      const report = await checkBooks(storage, journalFolder(dataDir));
      printBooks(report);
      process.exitCode = report.balanced ? 0 : 1;
    },
  );
