import { redemptionStatus } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filterToolbar } from '#list/list-filters.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { countCodes } from './redemption-api.ts';
import { noFilters, type RedemptionFilter } from './redemption-defaults.ts';
import { withMaskedCode } from './redemption-search.ts';
import { RedemptionSum } from './redemption-sum.tsx';

const states = ['enabled', 'used', 'disabled', 'expired'] as const;

export function useRedemptionToolbar(
  filter: RedemptionFilter,
  onChange: (filter: RedemptionFilter) => void,
  /** Nothing was found, so no sum is shown. */
  none: boolean,
): ToolbarProps {
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
  return {
    ...filterToolbar({
      none: noFilters,
      search: filter,
      field: 'keyword',
      placeholder: t('search'),
      filters,
      onChange: (next) => onChange(withMaskedCode(next)),
      count: countCodes,
    }),
    aside: !none && <RedemptionSum filter={filter} />,
  };
}
