import { paymentApi, type PaymentGateway } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { gatewayList, refreshGateways } from '#screens/panel/payment/payment-api.ts';
import { movedTo } from './moved-to.ts';

export interface GatewayOrder {
  /** The gateways in the order on screen, also while one is dragged. */
  rows: readonly PaymentGateway[];
  /** Id of the dragged gateway; 0: none. */
  dragged: number;
  /** Announces the last move to screen readers. */
  announced: string;
  move: (gateway: PaymentGateway, by: 1 | -1) => void;
  /** Handlers of a row's handle. */
  handle: (gateway: PaymentGateway) => {
    onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  };
}

/** Orders gateways by drag, keyboard and menu; each change is saved at once and shown before the server confirms it. */
export function useGatewayOrder(gateways: readonly PaymentGateway[]): GatewayOrder {
  const { t } = useTranslation('payment');
  const client = useQueryClient();
  const [dragging, setDragging] = useState<{ id: number; rows: readonly PaymentGateway[] }>();
  const [announced, setAnnounced] = useState('');
  const { mutate } = useMutation({
    mutationFn: (rows: readonly PaymentGateway[]) =>
      call(paymentApi.arrange, { body: { ids: rows.map(({ id }) => id) } }),
    onMutate: async (rows) => {
      await client.cancelQueries({ queryKey: gatewayList.queryKey });
      client.setQueryData(gatewayList.queryKey, (page) => page && { ...page, data: [...rows] });
    },
    onSettled: () => refreshGateways(client),
  });
  const rows = dragging?.rows ?? gateways;
  const save = (next: readonly PaymentGateway[], moved: PaymentGateway) => {
    if (next.every(({ id }, index) => id === gateways[index]?.id)) return;
    mutate(next);
    const place = next.findIndex(({ id }) => id === moved.id) + 1;
    setAnnounced(t('movedTo', { name: moved.name, place, total: next.length }));
  };
  const move = (gateway: PaymentGateway, by: 1 | -1) => {
    const at = gateways.findIndex(({ id }) => id === gateway.id);
    save(movedTo(gateways, at, at + by), gateway);
  };
  const drag = (gateway: PaymentGateway, event: PointerEvent<HTMLElement>) => {
    const table = event.currentTarget.closest('tbody');
    if (!table || event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.focus();
    let now = gateways;
    setDragging({ id: gateway.id, rows: now });
    followPointer({
      onMove: (y) => {
        const to = rowAt(table, y);
        const from = now.findIndex(({ id }) => id === gateway.id);
        if (to < 0 || to === from) return;
        now = movedTo(now, from, to);
        setDragging({ id: gateway.id, rows: now });
      },
      onEnd: (isDropped) => {
        setDragging(undefined);
        if (isDropped) save(now, gateway);
      },
    });
  };
  return {
    rows,
    dragged: dragging?.id ?? 0,
    announced,
    move,
    handle: (gateway) => ({
      onPointerDown: (event) => drag(gateway, event),
      onKeyDown: (event) => {
        if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
        event.preventDefault();
        event.stopPropagation();
        move(gateway, event.key === 'ArrowUp' ? -1 : 1);
      },
    }),
  };
}

/** Index of the row at a height of the page; the first or last one beyond the table. */
function rowAt(table: Element, y: number): number {
  const rows = [...table.querySelectorAll('[data-row]')].map((row) => row.getBoundingClientRect());
  const at = rows.findIndex(({ bottom }) => y < bottom);
  return at < 0 ? rows.length - 1 : at;
}

interface Handlers {
  /** Height in the viewport. */
  onMove: (y: number) => void;
  /** False if the drag was cancelled. */
  onEnd: (isDropped: boolean) => void;
}

/**
 * Follows a pressed pointer until it is released; Escape cancels. On the window, because the handle moves in the
 * document with its row and would lose a captured pointer.
 */
function followPointer({ onMove, onEnd }: Handlers): void {
  const listening = new AbortController();
  const { signal } = listening;
  const end = (isDropped: boolean) => {
    listening.abort();
    onEnd(isDropped);
  };
  addEventListener('pointermove', (event) => onMove(event.clientY), { signal });
  addEventListener('pointerup', () => end(true), { signal });
  addEventListener('pointercancel', () => end(false), { signal });
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      end(false);
    },
    { signal, capture: true },
  );
}
