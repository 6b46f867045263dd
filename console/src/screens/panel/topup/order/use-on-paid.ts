import {
  dashboardApi,
  isPaid,
  ledgerApi,
  logApi,
  ownOrderApi,
  planApi,
  userApi,
  type OrderStatus,
  type OwnOrder,
} from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { refresh } from '#api/api-query.ts';
import { useLatest } from '#ui/basic/use-latest.ts';

/** Everything that shows a balance or its changes. */
const affected = [
  userApi.self,
  ledgerApi.ownList,
  ledgerApi.ownTotals,
  ledgerApi.list,
  logApi.ownList,
  logApi.list,
  dashboardApi.own,
  ownOrderApi.list,
  ownOrderApi.get,
  planApi.mine,
];

/** Refreshes the balance everywhere when an order on the page is paid, and calls `onPaid`. */
export function useOnPaid<Order extends OwnOrder>(orders: readonly Order[], onPaid?: (order: Order) => void): void {
  const client = useQueryClient();
  const before = useRef(new Map<string, OrderStatus>());
  const latest = useLatest({ onPaid });
  useEffect(() => {
    const paid = orders.filter(({ trade_no: no, status }) => {
      const was = before.current.get(no);
      return was !== undefined && !isPaid(was) && isPaid(status);
    });
    for (const { trade_no: no, status } of orders) before.current.set(no, status);
    if (paid.length === 0) return;
    void refresh(client, ...affected);
    for (const order of paid) latest.current.onPaid?.(order);
  }, [orders, client, latest]);
}
