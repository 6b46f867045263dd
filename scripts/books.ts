import type { BooksReport } from '@relay-hub/contract';
import { checkBooks } from '../server/src/features/books/check-books.ts';
import { journalFolder } from '../server/src/quota/journal.ts';
import { onPresentHub } from './lib-present-hub.ts';

/**
 * Recomputes every balance of the database that DATA_DIR or DATABASE_URL names, running or not, and prints what does not
 * add up. Ends with 0 when all does, with 1 when something differs. `--json` prints the report as JSON.
 */
const json = process.argv.includes('--json');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const titles: Record<BooksReport['checks'][number]['check'], string> = {
  balances: 'balances are the sums of their entries',
  entry_chain: 'each entry tells the balance after it',
  held: 'what is held is what nodes have leased',
  charges: 'what users have used is what was charged',
  rows: 'each charge has its row, each row its charge',
  explained: 'each row explains its charge',
  roll_ups: 'sums by hour are those of the rows',
  attempts: 'attempts of channels by hour are those of the rows',
  tokens: 'what tokens have used is what their rows say',
  channels: 'what channels have used is what was charged',
  journals: 'leases cover what journals have open',
};

await onPresentHub('The books were not read.', { secret: false }, async (storage, { dataDir }) => {
  const report = await checkBooks(storage, journalFolder(dataDir), (check) => {
    if (!json) process.stderr.write(`comparing: ${titles[check]} …\n`);
  });
  if (json) say(JSON.stringify(report));
  else print(report);
  process.exitCode = report.balanced ? 0 : 1;
});

function print({ checks, balanced, users, entries, rows, open_calls, held, shortfall, took }: BooksReport): void {
  say(`${users} users, ${entries} entries, ${rows} rows; ${open_calls} calls under way, ${held} credits held`);
  if (shortfall > 0) say(`${shortfall} credits of calls were beyond what was left, and never taken`);
  for (const { check, compared, differing, differences } of checks) {
    say(
      `${differing === 0 ? 'ok  ' : 'DIFF'}  ${titles[check]} (${compared})${differing === 0 ? '' : `: ${differing} differ`}`,
    );
    for (const { of, expected, found } of differences) say(`        ${of}: expected ${expected}, found ${found}`);
  }
  say(balanced ? `The books balance. (${(took / 1000).toFixed(1)} s)` : 'The books do not balance.');
}
