import { tokenStatus } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { FilterDef } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { BaseAddress } from '#screens/panel/token/connect/base-address.tsx';
import { countTokens } from './token-api.ts';

interface Filters {
  keyword: string;
  status: number;
}

const states = ['enabled', 'disabled', 'expired', 'exhausted'] as const;

/** Search by name, filter by status, and the address that the keys are for. */
export function useTokenToolbar(
  { keyword, status }: Filters,
  onChange: (change: Partial<Filters>) => void,
): Omit<ToolbarProps, 'tools'> {
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
    search: { value: keyword, placeholder: t('search'), onChange: (text) => onChange({ keyword: text }) },
    filters,
    values: { status },
    onFilter: (change) => onChange({ status: Number(change['status'] ?? 0) }),
    onClear: () => onChange({ keyword: '', status: 0 }),
    countFor: (values) => countTokens({ keyword, status: Number(values['status'] ?? 0) }),
    aside: <BaseAddress />,
  };
}
