import { redemptionStatus } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { FilterDef, FilterValues } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { countCodes } from './redemption-api.ts';
import { noFilters, type RedemptionFilter } from './redemption-defaults.ts';
import { changed } from './redemption-search.ts';
import { RedemptionSum } from './redemption-sum.tsx';

const states = ['enabled', 'used', 'disabled', 'expired'] as const;

/** Search, filters, and what the codes that are found are worth. */
export function useRedemptionToolbar(
  filter: RedemptionFilter,
  onChange: (filter: RedemptionFilter) => void,
  /** There is nothing to sum up, and no place is kept for it. */
  none: boolean,
): Omit<ToolbarProps, 'tools'> {
  const { t } = useTranslation('redemption');
  const filters = useMemo(
    (): FilterDef[] => [
      {
        kind: 'options',
        id: 'status',
        label: t('status'),
        pinned: true,
        options: states.map((state) => ({ value: redemptionStatus[state], label: t(`states.${state}`) })),
      },
      { kind: 'range', id: 'time', label: t('createdTime') },
      { kind: 'text', id: 'created_by', label: t('createdBy') },
      { kind: 'text', id: 'redeemed_by', label: t('redeemedBy') },
    ],
    [t],
  );
  const { keyword, ...values } = filter;
  const change = (next: FilterValues) => onChange(changed(filter, next));
  return {
    search: { value: keyword, placeholder: t('search'), onChange: (text) => change({ keyword: text }) },
    filters,
    values,
    onFilter: change,
    onClear: () => onChange(noFilters),
    countFor: (next) => countCodes(changed(filter, next)),
    aside: !none && <RedemptionSum filter={filter} />,
  };
}
