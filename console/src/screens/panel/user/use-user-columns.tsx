import type { User } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatWhole } from '#ui/format/number.ts';
import type { Column } from '#ui/table/table-column.ts';
import { Time } from '#ui/format/time.tsx';
import { useMedia } from '#ui/basic/use-media.ts';
import { UserBindings } from './user-bindings.tsx';
import { UserAge, UserMoney, UserName, UserRole, UserStatus } from './user-cells.tsx';
import { UserGroupName } from './user-group-name.tsx';

export function useUserColumns(): readonly Column<User>[] {
  const { t } = useTranslation('user');
  const tight = useMedia('(width < 1360px)');
  return useMemo(
    () => [
      {
        id: 'username',
        head: t('user'),
        sortable: true,
        hideable: false,
        cell: (user) => <UserName user={user} />,
      },
      {
        id: 'email',
        head: t('email'),
        width: 200,
        hidden: true,
        cell: ({ email }) => <span className="text-text2">{email || t('noEmail')}</span>,
      },
      {
        id: 'group',
        head: t('group'),
        width: 124,
        sortable: true,
        cell: ({ group }) => <UserGroupName symbol={group} />,
      },
      {
        id: 'quota',
        head: t('left'),
        width: 124,
        align: 'right',
        sortable: true,
        descFirst: true,
        cell: (user) => <UserMoney user={user} />,
      },
      {
        id: 'request_count',
        head: t('requests'),
        width: 96,
        align: 'right',
        sortable: true,
        descFirst: true,
        cell: ({ request_count: count }) => formatWhole(count),
      },
      {
        id: 'role',
        head: t('role'),
        width: 104,
        sortable: true,
        descFirst: true,
        cell: (user) => <UserRole user={user} />,
      },
      {
        id: 'bound',
        head: t('bound'),
        width: 112,
        hidden: tight,
        cell: (user) => <UserBindings user={user} />,
      },
      { id: 'status', head: t('status'), width: 104, sortable: true, cell: (user) => <UserStatus user={user} /> },
      {
        id: 'created_time',
        head: t('created'),
        width: 116,
        sortable: true,
        descFirst: true,
        cell: (user) => <UserAge user={user} />,
      },
      {
        id: 'last_login_time',
        head: t('lastLogin'),
        width: 160,
        sortable: true,
        descFirst: true,
        hidden: true,
        cell: ({ last_login_time: at }) => <Time at={at} none={t('neverLogin')} className="text-text2" />,
      },
      {
        id: 'register_ip',
        head: t('registerIp'),
        width: 180,
        hidden: true,
        cell: ({ register_ip: ip }) => <span className="text-text2">{ip || t('registerUnknown')}</span>,
      },
    ],
    [t, tight],
  );
}
