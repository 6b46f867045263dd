import type { LedgerEntry } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { entriesByReference } from '#features/ledger/ledger-queries.ts';

interface MovedBy {
  order: { trade_no: string; gateway_id: number };
  refunds: readonly { refund_no: string }[];
  disputes: readonly { dispute_no: string }[];
}

/** Ledger entries of an order, its refunds and its disputes, oldest first. */
export function entriesOfOrder(db: Db, { order, refunds, disputes }: MovedBy): Promise<LedgerEntry[]> {
  const { trade_no: tradeNo, gateway_id: gatewayId } = order;
  return entriesByReference(db, [
    `order:${tradeNo}`,
    ...refunds.flatMap(({ refund_no: no }) => [`refund:${no}`, `refund-returned:${no}`]),
    ...disputes.flatMap(({ dispute_no: no }) => [
      `dispute:${gatewayId}:${no}`,
      `dispute-released:${gatewayId}:${no}`,
      ...refunds.map(({ refund_no: refund }) => `dispute-more:${gatewayId}:${no}:${refund}`),
    ]),
  ]);
}
