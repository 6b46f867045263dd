import { checkBooks } from '../server/src/features/books/check-books.ts';
import { journalFolder } from '../server/src/quota/journal.ts';
import { onPresentHub } from './lib/present-hub.ts';
import { bookTitles, printBooks } from './lib/print-books.ts';

/**
 * Recomputes every balance in the database of DATA_DIR or DATABASE_URL and prints differences. The server may be running.
 * Exits with 0 if there are none, otherwise with 1. `--json` prints the report as JSON.
 */
const json = process.argv.includes('--json');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

await onPresentHub('The accounting was not checked.', { secret: false }, async (storage, { dataDir }) => {
  const report = await checkBooks(storage, journalFolder(dataDir), (check) => {
    if (!json) process.stderr.write(`comparing: ${bookTitles[check]} …\n`);
  });
  if (json) say(JSON.stringify(report));
  else printBooks(report);
  process.exitCode = report.balanced ? 0 : 1;
});
