import { isPaid, ownOrderApi, type OwnOrderDetail } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { orderQuery } from '#screens/panel/topup/topup-api.ts';

/** The server asks a gateway at most this often about an order. */
const askedEveryMs = 5200;
const askedAt = new Map<string, number>();

/** Waits until the server asks the gateway again, so that each click has a fresh result. */
async function untilAsked(tradeNo: string): Promise<void> {
  const wait = (askedAt.get(tradeNo) ?? 0) + askedEveryMs - Date.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  askedAt.set(tradeNo, Date.now());
}

/** Queries the gateway about an order, or cancels it; the reply replaces the order on the page. */
export function useOrderActions(tradeNo: string) {
  const client = useQueryClient();
  /** Unix seconds of the last query that found no payment. */
  const [checkedAt, setCheckedAt] = useState<number>();
  const params = { trade_no: tradeNo };
  const keep = (order: OwnOrderDetail) => {
    client.setQueryData(orderQuery(tradeNo).queryKey, order);
    if (order.status !== 'pending') void refresh(client, ownOrderApi.list);
  };
  const check = useMutation({
    mutationFn: async () => {
      await untilAsked(tradeNo);
      return call(ownOrderApi.check, { params, body: {} });
    },
    onSuccess: (order) => {
      keep(order);
      setCheckedAt(isPaid(order.status) ? undefined : Math.floor(Date.now() / 1000));
    },
  });
  const cancel = useMutation({ mutationFn: () => call(ownOrderApi.cancel, { params, body: {} }), onSuccess: keep });
  return {
    check: () => check.mutate(),
    checking: check.isPending,
    cancel: () => cancel.mutate(),
    cancelling: cancel.isPending,
    checkedAt,
  };
}
