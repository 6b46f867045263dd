import type { Page, PaymentGateway } from '@relay-hub/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Copy, CreditCard, Pencil, PlugZap, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { changedFilters, isFiltered } from '#list/list-filters.ts';
import { useToolbarWith } from '#list/list-header.tsx';
import { rowId } from '#list/use-list-screen.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import type { FilterValues } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { gatewaysIn } from '#screens/panel/payment/payment-api.ts';
import { type GatewayFilter, noGatewayFilters } from '#screens/panel/payment/payment-search.ts';
import type { Translate } from '#i18n/t.ts';
import { copyText } from '#ui/format/clipboard.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { useGatewayActions } from './use-gateway-actions.ts';
import { useGatewayColumns } from './use-gateway-columns.tsx';
import { useGatewayOrder } from './use-gateway-order.ts';

interface Props {
  query: UseQueryResult<Page<PaymentGateway>>;
  filter: GatewayFilter;
  add: ReactNode;
  /** Id of the gateway whose form is open. */
  edit: string;
  onFilter: (filter: GatewayFilter) => void;
  onOpen: (id: number) => void;
}

const nameOf = ({ name }: PaymentGateway) => name;
const allRows = { page: 1, size: 10, order: '' };
const none = () => undefined;

/** The gateways in the order in which payers see them. */
export function GatewaysTab({ query, filter, add, edit, onFilter, onOpen }: Props) {
  const { t } = useTranslation('payment');
  const all = gatewaysIn(query.data);
  const order = useGatewayOrder(all);
  const act = useGatewayActions();
  const isWhole = !isFiltered(noGatewayFilters, filter);
  const found = order.rows.filter((gateway) => matches(gateway, filter));
  const columns = useGatewayColumns(isWhole && all.length > 1 ? order : undefined);
  const menu = (gateway: PaymentGateway) => {
    const at = all.findIndex(({ id }) => id === gateway.id);
    return gatewayMenu(t, {
      gateway,
      open: () => onOpen(gateway.id),
      test: () => act.test.mutate(gateway),
      remove: () => act.remove.mutate(gateway),
      up: at > 0 && isWhole ? () => order.move(gateway, -1) : undefined,
      down: at < all.length - 1 && isWhole ? () => order.move(gateway, 1) : undefined,
    });
  };
  const on = all.filter(({ enable }) => enable).length;
  return (
    <>
      <DataTable
        name="payment-gateways"
        label={t('tabs.gateways')}
        columns={columns}
        page={{ ...query, data: query.data && { data: found, total_count: found.length } }}
        search={allRows}
        onSearch={none}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={useToolbarWith(useGatewayToolbar(all, filter, onFilter), all.length > 0 && add)}
        empty={<EmptyState icon={CreditCard} title={t('noGatewayTitle')} text={t('noGatewayText')} action={add} />}
        onOpen={({ id }) => onOpen(id)}
        activeKey={order.dragged || Number(edit) || undefined}
        rowMenu={menu}
        unpaged
        summary={t('gatewayCount', { count: all.length, on })}
        note={all.length > 1 && t('firstIsDefault')}
      />
      <p role="status" className="sr-only">
        {order.announced}
      </p>
    </>
  );
}

function matches({ name, uuid, type }: PaymentGateway, filter: GatewayFilter): boolean {
  const word = filter.q.toLowerCase();
  return (name.toLowerCase().includes(word) || uuid === word) && (filter.type === '' || filter.type === type);
}

function useGatewayToolbar(
  gateways: readonly PaymentGateway[],
  filter: GatewayFilter,
  onFilter: (filter: GatewayFilter) => void,
): ToolbarProps {
  const { t } = useTranslation('payment');
  const types = [...new Set(gateways.map(({ type }) => type))];
  return {
    search: { value: filter.q, placeholder: t('gatewaySearch'), onChange: (q) => onFilter({ ...filter, q }) },
    filters: [
      {
        kind: 'options',
        id: 'type',
        label: t('type'),
        pinned: true,
        options: types.map((value) => ({ value, label: t(`types.${value}`) })),
      },
    ],
    values: { type: filter.type },
    onFilter: (change: FilterValues) => onFilter(changedFilters(noGatewayFilters, filter, change)),
    onClear: () => onFilter(noGatewayFilters),
  };
}

interface Actions {
  gateway: PaymentGateway;
  open: () => void;
  test: () => void;
  remove: () => void;
  /** Undefined at the end of the list. */
  up: (() => void) | undefined;
  down: (() => void) | undefined;
}

function gatewayMenu(t: Translate<'payment'>, { gateway, open, test, remove, up, down }: Actions): MenuEntries {
  const { name, notify_url: address } = gateway;
  return [
    { label: t('edit'), icon: Pencil, onSelect: open },
    { label: t('test'), icon: PlugZap, saves: true, onSelect: test },
    address !== '' && {
      label: t('copyNotify'),
      icon: Copy,
      onSelect: () => void copyText(address, t('notifyOf', { name })),
    },
    up && { label: t('moveUp'), icon: ArrowUp, saves: true, shortcut: 'Alt ↑', onSelect: up },
    down && { label: t('moveDown'), icon: ArrowDown, saves: true, shortcut: 'Alt ↓', onSelect: down },
    'line',
    { label: t('remove'), icon: Trash2, danger: true, onSelect: remove },
  ];
}
