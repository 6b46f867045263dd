import { role, userStatus } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { useAllGroups } from '#api/all-groups.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { filterToolbar } from '#list/list-filters.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import { Money } from '#ui/format/money.tsx';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { countUsers, type UserQuery } from './user-api.ts';

const noFilters = { keyword: '', group: '', role: 0, status: 0, inviter: 0, deleted: 0 };

/** Search and filters of the list; `total` is the sum of the found accounts' balances, in credits. */
export function useUserToolbar(
  search: UserQuery,
  total: number | undefined,
  onChange: (filters: Partial<UserQuery>) => void,
): ToolbarProps {
  const { t } = useTranslation('user');
  return {
    ...filterToolbar({
      none: noFilters,
      search,
      field: 'keyword',
      placeholder: t('search'),
      filters: useFilters(),
      onChange,
      count: countUsers,
    }),
    aside: total !== undefined && (
      <span>
        <TextWithElements text={t('inBalances')} parts={{ amount: <Money credits={total} /> }} />
      </span>
    ),
  };
}

function useFilters(): readonly FilterDef[] {
  const { t } = useTranslation(['user', 'shared']);
  const groups = useAllGroups();
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
    { kind: 'text', id: 'inviter', label: t('inviter') },
    { kind: 'options', id: 'deleted', label: t('deletedAccounts'), options: [{ value: 1, label: t('onlyDeleted') }] },
  ];
}
