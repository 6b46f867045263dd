import { minorOf } from '@relay-hub/contract';
import { type Json, listOr, objectOr } from '#json.ts';
import { secondsOfBeijing } from '#payments/beijing-time.ts';
import { callApiPhp, isV2, postSigned, textOf } from './epay-calls.ts';
import { type GatewayContext, GatewayError, type StatementRow } from '#payments/gateway.ts';

const PAGE_ROWS = 50;
const MOST_PAGES = 200;
/** Orders are listed by creation, and are paid within a day of it. */
const DAY_SECONDS = 86_400;

/**
 * Fetches the paid orders of a period. The API has no date filter, so pages are read from the newest order back.
 * Throws `GatewayError` instead of returning an incomplete list.
 */
export async function fetchEpayOrders(
  context: GatewayContext,
  { from, to }: { from: number; to: number },
): Promise<StatementRow[]> {
  const rows: StatementRow[] = [];
  const seen = new Set<string>();
  for (let page = 1; page <= MOST_PAGES; page++) {
    const orders = await pageOf(context, page, seen.size);
    if (orders.length === 0) return rows;
    const fresh = orders.filter((order) => !seen.has(textOf(order, 'trade_no')));
    if (fresh.length === 0) throw new GatewayError('refused', 'the gateway lists only its newest orders');
    for (const order of fresh) {
      seen.add(textOf(order, 'trade_no'));
      rows.push(...rowsOf(order, seen.size).filter(({ at }) => at === 0 || (at >= from && at <= to)));
    }
    const oldest = secondsOfBeijing(textOf(fresh.at(-1)!, 'addtime')); // `fresh` is not empty
    if (oldest > 0 && oldest < from - DAY_SECONDS) return rows;
  }
  throw new GatewayError('refused', 'the gateway has too many orders since then');
}

async function pageOf(context: GatewayContext, page: number, offset: number): Promise<Json[]> {
  const place = { limit: String(PAGE_ROWS), offset: String(offset) };
  const reply = isV2(context.config)
    ? await postSigned(context, 'api/merchant/orders', place)
    : await callApiPhp(context, { act: 'orders', ...place, page: String(page) });
  return listOr(reply['data']).map(objectOr);
}

/** Some operators answer an order that was paid and refunded with the status 2, without the amount refunded. */
function rowsOf(order: Json, line: number): StatementRow[] {
  const state = textOf(order, 'status') || textOf(order, 'trade_status');
  const minor = minorOf(textOf(order, 'money'));
  if (minor === undefined || !['1', '2', '3', 'TRADE_SUCCESS'].includes(state)) return [];
  const row = { line, tradeNo: textOf(order, 'out_trade_no'), gatewayNo: textOf(order, 'trade_no'), state };
  const at = secondsOfBeijing(textOf(order, 'endtime')) || secondsOfBeijing(textOf(order, 'addtime'));
  const refunded = minorOf(textOf(order, 'refundmoney')) ?? (state === '2' ? minor : 0);
  const payment: StatementRow = { ...row, kind: 'payment', minor, at };
  return refunded > 0 ? [payment, { ...row, kind: 'refund', minor: refunded, at }] : [payment];
}
