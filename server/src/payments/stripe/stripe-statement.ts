import { minorOf } from '@relay-hub/contract';
import type { Stripe } from 'stripe';
import { type GatewayContext, GatewayError, StatementError, type StatementRow } from '#payments/gateway.ts';
import { idOf, withStripe } from './stripe-client.ts';
import { noIn, TRADE_NO } from './stripe-objects.ts';

const kindOfType: Readonly<Record<string, StatementRow['kind']>> = {
  charge: 'payment',
  payment: 'payment',
  refund: 'refund',
  payment_refund: 'refund',
};

/** Pages hold expanded charges and must fit into a response. */
const PAGE = 50;
const MOST_ROWS = 10_000;

/** Balance transactions are in the settlement currency, so sums are taken from the expanded charges and refunds. */
export function fetchStripeStatement(
  context: GatewayContext,
  { from, to }: { from: number; to: number },
): Promise<StatementRow[]> {
  return withStripe(context, async (stripe) => {
    const rows: StatementRow[] = [];
    let line = 0;
    const list = { created: { gte: from, lte: to }, limit: PAGE, expand: ['data.source'] };
    for await (const transaction of stripe.balanceTransactions.list(list)) {
      line++;
      if (line > MOST_ROWS) {
        throw new GatewayError('refused', `more than ${MOST_ROWS} movements: choose a shorter period`, 'PERIOD');
      }
      const kind = kindOfType[transaction.type];
      const source = kind && sourceOf(transaction);
      if (source) rows.push({ line, kind, ...source, at: transaction.created });
    }
    return rows;
  });
}

function sourceOf({ source }: Stripe.BalanceTransaction): Omit<StatementRow, 'line' | 'kind' | 'at'> | undefined {
  if (typeof source !== 'object' || (source?.object !== 'charge' && source?.object !== 'refund')) return undefined;
  return {
    tradeNo: noIn(source.metadata, TRADE_NO),
    gatewayNo: idOf(source.payment_intent),
    minor: source.amount,
    state: source.status ?? '',
  };
}

const kindOfCategory: Readonly<Record<string, StatementRow['kind']>> = { charge: 'payment', refund: 'refund' };
const neededColumns = ['reporting_category', 'gross', 'payment_intent_id'];

/** Reads a report `balance_change_from_activity.itemized`, whose sums are decimal major units. */
export function readStripeStatement(csv: string): {
  rows: StatementRow[];
  unreadable: { line: number; problem: string }[];
} {
  const [head, ...records] = readCsv(csv);
  const columns = head?.cells ?? [];
  const missing = neededColumns.filter((name) => !columns.includes(name));
  if (missing.length > 0) throw new StatementError(`not a balance report of Stripe: no column ${missing.join(', ')}`);
  const rows: StatementRow[] = [];
  const unreadable: { line: number; problem: string }[] = [];
  for (const { line, cells } of records) {
    const cell = (name: string) => cells[columns.indexOf(name)]?.trim() ?? '';
    const kind = kindOfCategory[cell('reporting_category')];
    if (!kind) continue;
    const minor = minorOf((cell('customer_facing_amount') || cell('gross')).replace(/^-/, ''));
    const tradeNo = cell(`payment_metadata[${TRADE_NO}]`) || cell(`refund_metadata[${TRADE_NO}]`);
    const gatewayNo = cell('payment_intent_id');
    if (minor === undefined) unreadable.push({ line, problem: 'the sum is not an amount with two decimals' });
    else if (tradeNo === '' && gatewayNo === '') unreadable.push({ line, problem: 'neither order number nor payment' });
    else rows.push({ line, kind, tradeNo, gatewayNo, minor, state: cell('reporting_category'), at: secondsOf(cell) });
  }
  return { rows, unreadable };
}

function secondsOf(cell: (name: string) => string): number {
  const milliseconds = Date.parse(`${cell('created_utc').replace(' ', 'T')}Z`);
  return Number.isNaN(milliseconds) ? 0 : milliseconds / 1000;
}

/** Records of a CSV text with the line on which each starts. Quoted cells may hold commas, quotes and line ends. */
function readCsv(text: string): { line: number; cells: string[] }[] {
  const records: { line: number; cells: string[] }[] = [];
  const shape = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  const csv = text.replace(/^\uFEFF/, '');
  let line = 1;
  let record = { line, cells: [] as string[] };
  while (shape.lastIndex < csv.length) {
    const match = shape.exec(csv);
    // A stray quote: the rest of the text cannot be divided into cells.
    if (!match) break;
    const [whole, quoted, plain = '', end] = match;
    record.cells.push(quoted?.replaceAll('""', '"') ?? plain);
    line += whole.split('\n').length - 1;
    if (end === ',') continue;
    if (record.cells.length > 1 || record.cells[0] !== '') records.push(record);
    record = { line, cells: [] };
  }
  if (record.cells.length > 0) records.push(record);
  return records;
}
