import { minorOf } from '@relay-hub/contract';
import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { type GatewayContext, GatewayError, StatementError, type StatementRow } from '#payments/gateway.ts';
import { callWxpay } from './wxpay-api.ts';
import { text } from './wxpay-objects.ts';
import { errorOf, sendSigned } from './wxpay-request.ts';

export interface WxpayBill {
  rows: StatementRow[];
  unreadable: { line: number; problem: string }[];
}

const neededColumns = ['交易时间', '微信订单号', '商户订单号', '交易状态', '订单金额'];

/** Reads a trade bill: cells start with a back-tick, names may contain commas, and a summary follows the rows. */
export function readWxpayBill(csv: string): WxpayBill {
  const lines = csv.replace(/^\uFEFF/, '').split(/\r?\n/);
  const columns = (lines[0] ?? '').split(',').map((name) => name.trim());
  const missing = neededColumns.filter((name) => !columns.includes(name));
  if (missing.length > 0) throw new StatementError(`not a WeChat Pay trade bill: no column ${missing.join(', ')}`);

  const bill: WxpayBill = { rows: [], unreadable: [] };
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === '') continue;
    if (!line.startsWith('`')) break;
    const cells = line.slice(1).split(',`');
    const row = rowOf((name) => cells[columns.indexOf(name)]?.trim() ?? '', index + 1);
    if (typeof row === 'string') bill.unreadable.push({ line: index + 1, problem: row });
    else bill.rows.push(row);
  }
  return bill;
}

function rowOf(cell: (name: string) => string, line: number): StatementRow | string {
  const isRefund = cell('交易状态') === 'REFUND';
  const column = isRefund ? '申请退款金额' : '订单金额';
  const minor = minorOf(cell(column));
  if (minor === undefined) return `${column} is not an amount`;
  if (cell('商户订单号') === '') return '商户订单号 is empty';
  return {
    line,
    kind: isRefund ? 'refund' : 'payment',
    tradeNo: cell('商户订单号'),
    gatewayNo: cell('微信订单号'),
    minor,
    state: isRefund ? cell('退款状态') : cell('交易状态'),
    at: secondsOf(cell('交易时间')),
  };
}

/** Bills are in Beijing time. */
function secondsOf(time: string): number {
  const milliseconds = Date.parse(`${time.replace(' ', 'T')}+08:00`);
  return Number.isNaN(milliseconds) ? 0 : milliseconds / 1000;
}

const DAY_S = 86_400;
const BEIJING_S = 8 * 3600;
const MOST_DAYS = 93;
/** Bounds the memory of a compressed bill. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Downloads one bill per day; bills exist from 10:00 of the following day, for three months. */
export async function fetchWxpayBills(
  context: GatewayContext,
  { from, to }: { from: number; to: number },
): Promise<StatementRow[]> {
  const first = Math.floor((from + BEIJING_S) / DAY_S);
  const last = Math.floor((to + BEIJING_S) / DAY_S);
  if (last - first >= MOST_DAYS) throw new GatewayError('refused', `choose at most ${MOST_DAYS} days`, 'PERIOD');
  const rows: StatementRow[] = [];
  for (let day = first; day <= last; day++) {
    const csv = await fetchBill(context, new Date(day * DAY_S * 1000).toISOString().slice(0, 10));
    if (csv === undefined) continue;
    const bill = readWxpayBill(csv);
    const [problem] = bill.unreadable;
    if (problem) throw new GatewayError('refused', `WeChat Pay: line ${problem.line}: ${problem.problem}`, 'BILL');
    rows.push(...bill.rows.filter(({ at }) => at === 0 || (at >= from && at <= to)));
  }
  return rows;
}

/** The bill of a day; undefined for a day without payments. */
async function fetchBill(context: GatewayContext, date: string): Promise<string | undefined> {
  const path = `/v3/bill/tradebill?bill_date=${date}&bill_type=ALL&tar_type=GZIP`;
  let reply: Awaited<ReturnType<typeof callWxpay>>;
  try {
    reply = await callWxpay(context, { method: 'GET', path });
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'NO_STATEMENT_EXIST') return undefined;
    throw error;
  }
  const address = URL.parse(text(reply, 'download_url'));
  if (!address) throw new GatewayError('unknown', 'WeChat Pay: the bill has no address');
  const file = await sendSigned(context, { method: 'GET', path: address.pathname + address.search });
  if (file.status !== 200) throw errorOf(context, file);
  const bill = unpacked(file.body);
  // The download itself is not signed; its digest is in the signed reply.
  if (hash('sha1', bill) !== text(reply, 'hash_value').toLowerCase()) {
    throw new GatewayError('unknown', 'WeChat Pay: the digest of the bill is wrong', 'DIGEST');
  }
  return bill.toString('utf8');
}

function unpacked(body: Buffer): Buffer {
  try {
    return gunzipSync(body, { maxOutputLength: MOST_BYTES });
  } catch {
    throw new GatewayError('unknown', 'WeChat Pay: the bill cannot be unpacked', 'GZIP');
  }
}
