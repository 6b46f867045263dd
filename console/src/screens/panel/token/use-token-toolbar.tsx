import { tokenStatus } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filterToolbar } from '#list/list-filters.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { BaseAddress } from '#screens/panel/token/connect/base-address.tsx';
import { countTokens, tagsQuery } from './token-api.ts';

export const noTokenFilters = { keyword: '', tag: '', status: 0 };
type Filters = typeof noTokenFilters;

export const tokenStates = ['enabled', 'disabled', 'expired', 'exhausted'] as const;

export function useTokenToolbar(search: Filters, onChange: (filters: Filters) => void): ToolbarProps {
  const { t } = useTranslation('token');
  const tags = useQuery(tagsQuery).data;
  const { tag } = search;
  const filters = useMemo(
    (): FilterDef[] => [
      {
        kind: 'options',
        id: 'status',
        label: t('status'),
        pinned: true,
        options: tokenStates.map((state) => ({ value: tokenStatus[state], label: t(`states.${state}`) })),
      },
      // The address can name a tag that was removed from all tokens; it can still be cleared.
      ...(tag !== '' || (tags && tags.length > 0)
        ? [
            {
              kind: 'options' as const,
              id: 'tag',
              label: t('tag'),
              pinned: true,
              options: [...new Set([...(tags ?? []), ...(tag === '' ? [] : [tag])])].map((value) => ({
                value,
                label: value,
              })),
            },
          ]
        : []),
    ],
    [t, tag, tags],
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
