import type { UserGroupRow } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatWhole } from '#ui/format/number.ts';
import type { Column } from '#ui/table/table-column.ts';
import { GroupName, GroupPick, GroupRate, ratioText } from './user-group-cells.tsx';
import { UserGroupSwitch } from './user-group-switch.tsx';

const right = { align: 'right', descFirst: true } as const;

export function useUserGroupColumns(): readonly Column<UserGroupRow>[] {
  const { t } = useTranslation('userGroup');
  return useMemo(
    () => [
      {
        id: 'name',
        head: t('group'),
        sortable: true,
        hideable: false,
        phone: 'title',
        cell: (group) => <GroupName group={group} />,
      },
      {
        id: 'ratio',
        head: t('ratio'),
        width: 110,
        sortable: true,
        ...right,
        phone: 'value',
        cell: ({ ratio }) => ratioText(ratio),
      },
      {
        id: 'api_rate',
        head: t('rate'),
        width: 160,
        sortable: true,
        ...right,
        phone: 'aside',
        phoneCell: ({ api_rate: rate }) => t('perMinute', { rate: formatWhole(rate) }),
        cell: (group) => <GroupRate group={group} />,
      },
      {
        id: 'public',
        head: t('pick'),
        width: 150,
        sortable: true,
        phone: 'line',
        cell: (group) => <GroupPick group={group} />,
      },
      {
        id: 'users',
        head: t('users'),
        width: 96,
        ...right,
        phone: 'line',
        phoneCell: ({ users }) => `${t('users')} ${formatWhole(users)}`,
        cell: (group) => <UsersLink group={group} />,
      },
      { id: 'channels', head: t('channels'), width: 96, ...right, cell: ({ channels }) => formatWhole(channels) },
      {
        id: 'models',
        head: t('models'),
        width: 96,
        ...right,
        phone: 'line',
        phoneCell: ({ models }) => `${t('models')} ${formatWhole(models)}`,
        cell: ({ models }) => formatWhole(models),
      },
      {
        id: 'enable',
        head: t('enabled'),
        width: 110,
        sortable: true,
        overflow: true,
        phone: 'value',
        cell: (group) => <UserGroupSwitch group={group} />,
      },
    ],
    [t],
  );
}

/** Number of users, linked to their list. */
function UsersLink({ group: { name, symbol, users } }: { group: UserGroupRow }) {
  const { t } = useTranslation('userGroup');
  if (users === 0) return <span className="text-text2">0</span>;
  return (
    <Link
      to="/panel/user"
      search={{ group: symbol }}
      aria-label={`${formatWhole(users)}, ${t('showUsers', { name })}`}
      className="touch rounded-tile text-accent hover:underline"
    >
      {formatWhole(users)}
    </Link>
  );
}
