import { flag, readCommand } from '../server/src/process/command-line.ts';
import { checkBooks } from '../server/src/features/books/check-books.ts';
import { forgetSigned } from '../server/src/features/books/signed-days.ts';
import { journalFolder } from '../server/src/quota/journal.ts';
import { onPresentHub } from './lib/present-hub.ts';
import { bookTitles, dateOf, printBooks } from './lib/print-books.ts';

const {
  json,
  full,
  'sign-again': again,
} = readCommand({
  name: 'books',
  about:
    'Recomputes every balance in the database of DATA_DIR or DATABASE_URL, and prints differences. Days that have ' +
    'balanced are signed and not read again. The server may be running. Exits with 0 if there are no differences, with 1 ' +
    'if there are.',
  options: {
    full: flag('read signed days again, and compare them with their signatures'),
    'sign-again': flag('forget all signatures, read everything and sign it anew'),
    json: flag('print the report as JSON'),
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);

await onPresentHub('The accounting was not checked.', { secret: false }, async (storage, { dataDir }) => {
  if (again) await forgetSigned(storage.db);
  const report = await checkBooks(storage, journalFolder(dataDir), {
    full,
    progress: (check, _, until) => {
      if (json || (full && check === 'signed')) return;
      const what =
        check !== 'signed' ? bookTitles[check] : until === 0 ? 'finished days' : `days before ${dateOf(until)}`;
      process.stderr.write(`comparing: ${what} …\n`);
    },
  });
  if (json) say(JSON.stringify(report));
  else printBooks(report);
  process.exitCode = report.balanced ? 0 : 1;
});
