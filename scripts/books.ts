import { flag, readCommand } from '../server/src/process/command-line.ts';
import { checkBooks } from '../server/src/features/books/check-books.ts';
import { journalFolder } from '../server/src/quota/journal.ts';
import { onPresentHub } from './lib/present-hub.ts';
import { bookTitles, printBooks } from './lib/print-books.ts';

const { json } = readCommand({
  name: 'books',
  about:
    'Recomputes every balance in the database of DATA_DIR or DATABASE_URL, and prints differences. The server may be ' +
    'running. Exits with 0 if there are none, with 1 if there are.',
  options: { json: flag('print the report as JSON') },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);

await onPresentHub('The accounting was not checked.', { secret: false }, async (storage, { dataDir }) => {
  const report = await checkBooks(storage, journalFolder(dataDir), (check) => {
    if (!json) process.stderr.write(`comparing: ${bookTitles[check]} …\n`);
  });
  if (json) say(JSON.stringify(report));
  else printBooks(report);
  process.exitCode = report.balanced ? 0 : 1;
});
