import { orderApi, ownOrderApi, type Receipt } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#api/call.ts';

/** The number of an own order, or the id of any order for administrators. */
export interface ReceiptSearch {
  order: string;
  id: number;
}

/** The receipt of an own order by number, or of any order by id. */
export const receiptQuery = ({ order, id }: ReceiptSearch) =>
  queryOptions({
    queryKey: [ownOrderApi.receipt.path, id > 0 ? id : order],
    queryFn: ({ signal }): Promise<Receipt> =>
      id > 0
        ? call(orderApi.receipt, { params: { id }, signal })
        : call(ownOrderApi.receipt, { params: { trade_no: order }, signal }),
    meta: { quiet: true },
  });
