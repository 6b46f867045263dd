import { Pencil, Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { languageTag } from '#i18n/i18n.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { keyOfGroup, mergePrices, pageOfSorted, type OwnPriceGroup } from './pricing-search.ts';
import { PriceBulk, Empty, useStable, type TableProps } from './single-table.tsx';
import { useGroupColumns } from './use-price-columns.tsx';

const first = ({ models }: OwnPriceGroup): string => models[0] ?? '';

/** One row per group of models with equal terms. */
export function MergedTable({ page, found, search, unit, actions, onSearch, onBulk, ...props }: TableProps) {
  const { t } = useTranslation('pricing');
  const groups = useMemo(() => mergePrices(found), [found]);
  const rows = page.data && pageOfSorted(groups, search, keyOfGroup, languageTag());
  const open = (group: OwnPriceGroup) => onSearch({ edit: `group:${first(group)}` });
  const menu = (group: OwnPriceGroup): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => open(group) },
    'line',
    {
      label: t('removeMany', { count: group.models.length }),
      icon: Trash2,
      danger: true,
      onSelect: () => actions.remove(group.prices),
    },
  ];
  return (
    <DataTable
      name="pricing-merged"
      label={t('title')}
      columns={useGroupColumns(useStable(unit))}
      page={{ ...page, data: rows }}
      search={search}
      onSearch={onSearch}
      keyOf={first}
      nameOf={first}
      toolbar={props.toolbar}
      empty={<Empty {...props.empty} />}
      onOpen={open}
      activeKey={search.edit.replace(/^group:/, '')}
      rowMenu={menu}
      bulk={(selection) => (
        <PriceBulk
          prices={selection.rows.flatMap(({ prices }) => prices)}
          onClear={selection.clear}
          actions={actions}
          onBulk={onBulk}
        />
      )}
      allRows={async () => groups}
    />
  );
}
