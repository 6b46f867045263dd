import type { Price } from '@relay-hub/contract';
import { Copy, History, Pencil, Tag, Trash2 } from 'lucide-react';
import { lazy, useMemo, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { languageTag } from '#i18n/i18n.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import type { TableQuery } from '#ui/table/table-page.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { useLatest } from '#ui/basic/use-latest.ts';
import type { PriceBulkAct } from '#screens/panel/pricing/edit/price-bulk.tsx';
import type { PricingSearch } from './pricing-defaults.ts';
import { keyOfPrice, pageOfSorted, type PriceUnit } from './pricing-search.ts';
import { usePriceColumns } from './use-price-columns.tsx';
import type { PriceActions } from './use-price-actions.ts';

export const PriceBulk = lazy(async () => ({
  default: (await import('#screens/panel/pricing/edit/price-bulk.tsx')).PriceBulk,
}));

export interface TableProps {
  /** The loading state of the prices in force. */
  page: Omit<TableQuery<Price>, 'data'> & { data: readonly Price[] | undefined };
  /** The prices that match the filters. */
  found: readonly Price[];
  prices: readonly Price[];
  search: PricingSearch;
  unit: PriceUnit;
  toolbar: Omit<ToolbarProps, 'tools'>;
  empty: { add: ReactNode; update: ReactNode };
  actions: PriceActions;
  onSearch: (change: Partial<PricingSearch>) => void;
  onBulk: (act: PriceBulkAct) => void;
}

const keyOf = ({ model }: Price) => model;
const nameOf = ({ model }: Price) => model;

/** One row per model. */
export function SingleTable({ page, found, prices, search, unit, actions, onSearch, onBulk, ...props }: TableProps) {
  const { t } = useTranslation('pricing');
  const { page: number, size, order } = search;
  const rows = useMemo(
    () => page.data && pageOfSorted(found, { page: number, size, order }, keyOfPrice, languageTag()),
    [page.data, found, number, size, order],
  );
  const columns = usePriceColumns(prices, useStable(unit));
  const latest = useLatest(onSearch);
  const rowActions = useMemo(
    () => (price: Price) => (
      <IconButton
        label={t('editOf', { name: price.model })}
        icon={Pencil}
        size="sm"
        onClick={() => latest.current({ edit: price.model })}
      />
    ),
    [t, latest],
  );
  const menu = (price: Price): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => onSearch({ edit: price.model }) },
    { label: t('history'), icon: History, onSelect: () => onSearch({ open: `history:${price.model}` }) },
    { label: t('copyName'), icon: Copy, onSelect: () => void copyText(price.model, price.model) },
    'line',
    { label: t('remove'), icon: Trash2, danger: true, onSelect: () => actions.remove([price]) },
  ];
  return (
    <DataTable
      name="pricing"
      label={t('title')}
      columns={columns}
      page={{ ...page, data: rows }}
      search={search}
      onSearch={onSearch}
      keyOf={keyOf}
      nameOf={nameOf}
      toolbar={props.toolbar}
      empty={<Empty {...props.empty} />}
      onOpen={({ model }) => onSearch({ show: model })}
      activeKey={search.edit || search.show}
      rowActions={rowActions}
      rowMenu={menu}
      actionsWidth={88}
      bulk={(selection) => (
        <PriceBulk prices={selection.rows} onClear={selection.clear} actions={actions} onBulk={onBulk} />
      )}
      allRows={async () => found}
    />
  );
}

/** A stable object for equal units: rows redraw when their columns change. */
export function useStable({ currency, per }: PriceUnit): PriceUnit {
  return useMemo(() => ({ currency, per }), [currency, per]);
}

export function Empty({ add, update }: TableProps['empty']) {
  const { t } = useTranslation('pricing');
  return (
    <EmptyState
      icon={Tag}
      title={t('emptyTitle')}
      text={t('emptyText')}
      action={
        <span className="flex gap-2">
          {update}
          {add}
        </span>
      }
    />
  );
}
