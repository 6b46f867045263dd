import type { Language, Order, OrderFilters } from '@relay-hub/contract';
import { minorText } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { type CsvColumn, timeWriter } from '#http/csv.ts';
import { filteredOrders, ordersOf } from './order-queries.ts';
import { serverTexts } from '#i18n/texts.ts';

/** The columns of an export; sums are decimal text, so that no spreadsheet rounds them. */
export function orderCsvColumns(language: Language, timeZone: string): CsvColumn<Order>[] {
  const { headings, statuses } = serverTexts(language).csv.order;
  const time = timeWriter(timeZone);
  const money = (minor: number) => Number(minorText(minor));
  return [
    { heading: `${headings.time} (${timeZone || 'UTC'})`, cell: (order) => time(order.created_at) },
    { heading: headings.tradeNo, cell: (order) => order.trade_no },
    { heading: headings.gatewayNo, cell: (order) => order.gateway_no },
    { heading: headings.gateway, cell: (order) => order.gateway_name },
    { heading: headings.user, cell: (order) => order.username },
    { heading: headings.amount, cell: (order) => order.amount },
    { heading: headings.discount, cell: (order) => money(order.discount_minor) },
    { heading: headings.fee, cell: (order) => money(order.fee_minor) },
    { heading: headings.rate, cell: (order) => order.rate },
    { heading: headings.paid, cell: (order) => money(order.order_minor) },
    { heading: headings.currency, cell: (order) => order.order_currency },
    { heading: headings.credits, cell: (order) => order.quota },
    { heading: headings.status, cell: (order) => statuses[order.status] },
    { heading: headings.paidAt, cell: (order) => time(order.paid_at) },
    { heading: headings.refunded, cell: (order) => money(order.refunded_minor) },
    { heading: headings.refundedCredits, cell: (order) => order.refunded_quota },
    { heading: headings.receipt, cell: (order) => order.receipt_no },
    { heading: headings.completedBy, cell: (order) => order.completed_by },
  ];
}

const ROWS_A_READ = 500;

/** Matching orders, newest first, read on demand. */
export async function* ordersForCsv(db: Db, filters: OrderFilters): AsyncGenerator<Order, void> {
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await filteredOrders(db, filters)
      .where('id', '<', below)
      .selectAll()
      .orderBy('id', 'desc')
      .limit(ROWS_A_READ)
      .execute();
    yield* await ordersOf(db, rows);
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_A_READ) return;
    below = last.id;
  }
}
