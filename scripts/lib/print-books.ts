import type { BooksReport } from '@relay-hub/contract';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Titles of the checks. */
export const bookTitles: Record<BooksReport['checks'][number]['check'], string> = {
  signed: 'signed days are as they were',
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
  costs: 'costs of attempts match the rows and the hourly sums',
  tokens: 'usage of tokens is the sum of their rows',
  channels: 'usage of channels is the sum of their charges',
  limits: 'limits of tokens match the rows of their periods',
  journals: 'leases cover the open calls of journals',
};

const causes: Record<BooksReport['shortfalls'][number]['cause'], string> = {
  cut_stream: 'the last read of a stream that was ended',
  session: 'the last turn of a session',
  usage: 'usage above the reservation',
};

/** The UTC date of a time. */
export const dateOf = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10);

/** Prints a report of the books. */
export function printBooks({ checks, balanced, users, entries, rows, open_calls, held, took, ...report }: BooksReport) {
  say(`${users} users, ${entries} entries, ${rows} rows; ${open_calls} open calls, ${held} credits held`);
  const { signed, full } = report;
  if (signed.until > 0)
    say(
      `days before ${dateOf(signed.until)} are signed${full ? '' : ' and not read again'}: ${signed.entries} entries, ` +
        `${signed.rows} calls, ${signed.digest}`,
    );
  const { shortfall, shortfall_calls: calls, shortfalls } = report;
  if (shortfall > 0)
    say(`${shortfall} credits of ${calls} calls could not be charged, because balances were used up; the last ones:`);
  for (const { request_id: request, username, model, uncollected, cause } of shortfalls.slice(0, 10))
    say(`        ${request} of ${username}, ${model}: ${uncollected} credits, ${causes[cause]}`);
  for (const { check, compared, differing, differences } of checks) {
    say(
      `${differing === 0 ? 'ok  ' : 'DIFF'}  ${bookTitles[check]} (${compared})${differing === 0 ? '' : `: ${differing} differ`}`,
    );
    for (const { of, expected, found } of differences) say(`        ${of}: expected ${expected}, found ${found}`);
  }
  say(balanced ? `The accounting is balanced. (${(took / 1000).toFixed(1)} s)` : 'The accounting is not balanced.');
}
