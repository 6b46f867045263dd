import { tokenStatus } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filterToolbar } from '#list/list-filters.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { tokenStates } from '../use-token-toolbar.tsx';
import { countOwnedTokens } from './all-api.ts';

export const noOwnedFilters = { keyword: '', tag: '', status: 0, user_id: 0 };
type Filters = typeof noOwnedFilters;

/** Of a pasted key only the end is searched for and kept in the address. */
const withoutKey = (filters: Filters): Filters => ({
  ...filters,
  keyword: /^(?:sk-)?[\w-]{20,}$/.test(filters.keyword) ? filters.keyword.slice(-4) : filters.keyword,
});

export function useAllToolbar(search: Filters, onChange: (filters: Filters) => void): ToolbarProps {
  const { t } = useTranslation(['tokenAdmin', 'token']);
  const { user_id: owner } = search;
  const filters = useMemo(
    (): FilterDef[] => [
      {
        kind: 'options',
        id: 'status',
        label: t('token:status'),
        pinned: true,
        options: tokenStates.map((state) => ({ value: tokenStatus[state], label: t(`token:states.${state}`) })),
      },
      { kind: 'text', id: 'tag', label: t('token:tag'), pinned: true },
      ...(owner === 0
        ? []
        : [
            {
              kind: 'options' as const,
              id: 'user_id',
              label: t('owner'),
              pinned: true,
              options: [{ value: owner, label: `#${owner}` }],
            },
          ]),
    ],
    [t, owner],
  );
  return filterToolbar({
    none: noOwnedFilters,
    search,
    field: 'keyword',
    placeholder: t('search'),
    filters,
    onChange: (next) => onChange(withoutKey(next)),
    count: countOwnedTokens,
  });
}
