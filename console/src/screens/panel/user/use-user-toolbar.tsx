import { role, userStatus } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';
import { useEveryGroup } from '#api/every-group.ts';
import { Filled } from '#ui/form/filled.tsx';
import type { FilterDef, FilterValues } from '#ui/table/filter.ts';
import { Money } from '#ui/format/money.tsx';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { countUsers, type UserQuery } from './user-api.ts';

interface Options {
  query: UserQuery;
  /** The balances of all that are found. */
  total: number | undefined;
  onSearch: (change: Partial<UserQuery>) => void;
}

/** Search and filters of the list, as the address has them. */
export function useUserToolbar({ query, total, onSearch }: Options): Omit<ToolbarProps, 'tools'> {
  const { t } = useTranslation('user');
  const { keyword, role: rank, status, group } = query;
  return {
    search: { value: keyword, placeholder: t('search'), onChange: (next) => onSearch({ keyword: next }) },
    filters: useFilters(),
    values: { group, role: rank, status },
    onFilter: (change) => onSearch(cleared(change)),
    onClear: () => onSearch({ keyword: '', group: '', role: 0, status: 0 }),
    countFor: (values) => countUsers({ keyword, ...cleared(values) }),
    aside: total !== undefined && (
      <span>
        <Filled text={t('inBalances')} parts={{ amount: <Money credits={total} /> }} />
      </span>
    ),
  };
}

/** A cleared filter is 0 or empty in the address. */
function cleared(values: FilterValues): Partial<UserQuery> {
  const change: Partial<UserQuery> = {};
  if ('group' in values) change.group = String(values['group'] ?? '');
  if ('role' in values) change.role = Number(values['role'] ?? 0);
  if ('status' in values) change.status = Number(values['status'] ?? 0);
  return change;
}

function useFilters(): readonly FilterDef[] {
  const { t } = useTranslation(['user', 'shared']);
  const groups = useEveryGroup();
  const pinned = true;
  return [
    {
      kind: 'options',
      id: 'group',
      label: t('group'),
      pinned,
      options: groups.map(({ symbol, name }) => ({ value: symbol, label: name })),
    },
    {
      kind: 'options',
      id: 'role',
      label: t('role'),
      pinned,
      options: (['user', 'admin', 'root'] as const).map((rank) => ({ value: role[rank], label: t(`roles.${rank}`) })),
    },
    {
      kind: 'options',
      id: 'status',
      label: t('status'),
      pinned,
      options: [
        { value: userStatus.enabled, label: t('shared:statusEnabled') },
        { value: userStatus.disabled, label: t('shared:statusDisabled') },
      ],
    },
  ];
}
