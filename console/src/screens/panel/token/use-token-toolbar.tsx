import { tokenStatus } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filterToolbar } from '#list/list-filters.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { BaseAddress } from '#screens/panel/token/connect/base-address.tsx';
import { countTokens } from './token-api.ts';

export const noTokenFilters = { keyword: '', tag: '', status: 0 };
type Filters = typeof noTokenFilters;

const states = ['enabled', 'disabled', 'expired', 'exhausted'] as const;

export function useTokenToolbar(search: Filters, onChange: (filters: Filters) => void): ToolbarProps {
  const { t } = useTranslation('token');
  const filters = useMemo(
    (): FilterDef[] => [
      {
        kind: 'options',
        id: 'status',
        label: t('status'),
        pinned: true,
        options: states.map((state) => ({ value: tokenStatus[state], label: t(`states.${state}`) })),
      },
    ],
    [t],
  );
  return {
    ...filterToolbar({
      none: noTokenFilters,
      search,
      field: 'keyword',
      placeholder: t('search'),
      filters,
      onChange,
      count: countTokens,
    }),
    aside: <BaseAddress />,
  };
}
