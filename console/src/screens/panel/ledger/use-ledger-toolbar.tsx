import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filterToolbar } from '#list/list-filters.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import { movementKinds } from '#domain/ledger/movement-kinds.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { countEntries } from './ledger-api.ts';
import { noLedgerFilters, type LedgerFilters } from './ledger-defaults.ts';
import type { Reader } from './ledger-search.ts';

const kinds = [
  'settle',
  'topup',
  'redemption',
  'gift',
  'reward',
  'refund',
  'dispute',
  'plan',
  'transfer',
  'correction',
  'opening',
] as const;

/** Search and filters; administrators also choose the user. */
export function useLedgerToolbar(
  search: LedgerFilters,
  reader: Reader,
  onChange: (filters: LedgerFilters) => void,
): ToolbarProps {
  const { t } = useTranslation('ledger');
  const filters = useMemo((): FilterDef[] => {
    const kindOptions = [
      { value: movementKinds, label: t('noCalls') },
      ...kinds.map((kind) => ({ value: kind, label: t(`kinds.${kind}`) })),
    ];
    return [
      { kind: 'range', id: 'time', label: t('time'), pinned: true },
      { kind: 'options', id: 'kind', label: t('kind'), options: kindOptions, pinned: true },
      ...(reader.admin ? [{ kind: 'text', id: 'username', label: t('user'), pinned: true } as const] : []),
    ];
  }, [t, reader.admin]);
  return {
    ...filterToolbar({
      none: noLedgerFilters,
      search,
      field: 'keyword',
      placeholder: t('find'),
      filters,
      onChange,
      count: (next) => countEntries(next, reader),
    }),
    children: reader.admin && (
      <Whose search={search} own={reader.username} onChange={(username) => onChange({ ...search, username })} />
    ),
  };
}

interface WhoseProps {
  search: LedgerFilters;
  own: string;
  onChange: (username: string) => void;
}

type Side = 'everyone' | 'mine' | 'other';

/** All entries or the own ones; the filter chooses another user's. */
function Whose({ search: { username }, own, onChange }: WhoseProps) {
  const { t } = useTranslation('ledger');
  const side: Side = username === '' ? 'everyone' : username === own ? 'mine' : 'other';
  const option = (value: Exclude<Side, 'other'>) => ({ value: value as Side, label: t(value) });
  return (
    <Segmented
      label={t('whose')}
      value={side}
      options={[option('everyone'), option('mine')]}
      onChange={(next) => onChange(next === 'mine' ? own : '')}
    />
  );
}
