import type { BooksReport } from '@relay-hub/contract';
import { checkBooks } from '../server/src/features/books/check-books.ts';
import { journalFolder } from '../server/src/quota/journal.ts';
import { onPresentHub } from './lib/present-hub.ts';

/**
 * Recomputes every balance in the database of DATA_DIR or DATABASE_URL and prints differences. The server may be running.
 * Exits with 0 if there are none, otherwise with 1. `--json` prints the report as JSON.
 */
const json = process.argv.includes('--json');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const titles: Record<BooksReport['checks'][number]['check'], string> = {
  balances: 'balances are the sums of their entries',
  entry_chain: 'each entry has the balance after it',
  held: 'held credits are the leases of nodes',
  charges: 'usage of users is the sum of their charges',
  rows: 'each charge has a row, each row a charge',
  orders: 'orders, refunds and disputes match their entries',
  tasks: 'tasks match their charges and refunds',
  explained: 'the detail of each row adds up to its charge',
  roll_ups: 'hourly sums match the rows',
  attempts: 'hourly attempts of channels match the rows',
  tokens: 'usage of tokens is the sum of their rows',
  channels: 'usage of channels is the sum of their charges',
  limits: 'limits of tokens match the rows of their periods',
  journals: 'leases cover the open calls of journals',
};

await onPresentHub('The accounting was not checked.', { secret: false }, async (storage, { dataDir }) => {
  const report = await checkBooks(storage, journalFolder(dataDir), (check) => {
    if (!json) process.stderr.write(`comparing: ${titles[check]} …\n`);
  });
  if (json) say(JSON.stringify(report));
  else print(report);
  process.exitCode = report.balanced ? 0 : 1;
});

const causes: Record<BooksReport['shortfalls'][number]['cause'], string> = {
  cut_stream: 'the last read of a stream that was ended',
  session: 'the last turn of a session',
  usage: 'usage above the reservation',
};

function print({ checks, balanced, users, entries, rows, open_calls, held, took, ...report }: BooksReport): void {
  say(`${users} users, ${entries} entries, ${rows} rows; ${open_calls} open calls, ${held} credits held`);
  const { shortfall, shortfall_calls: calls, shortfalls } = report;
  if (shortfall > 0)
    say(`${shortfall} credits of ${calls} calls could not be charged, because balances were used up; the last ones:`);
  for (const { request_id: request, username, model, uncollected, cause } of shortfalls.slice(0, 10))
    say(`        ${request} of ${username}, ${model}: ${uncollected} credits, ${causes[cause]}`);
  for (const { check, compared, differing, differences } of checks) {
    say(
      `${differing === 0 ? 'ok  ' : 'DIFF'}  ${titles[check]} (${compared})${differing === 0 ? '' : `: ${differing} differ`}`,
    );
    for (const { of, expected, found } of differences) say(`        ${of}: expected ${expected}, found ${found}`);
  }
  say(balanced ? `The accounting is balanced. (${(took / 1000).toFixed(1)} s)` : 'The accounting is not balanced.');
}
