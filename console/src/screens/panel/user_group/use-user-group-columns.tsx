import { defaultUserGroup, type UserGroup, userGroupApi, type UserGroupRow } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatPlain, formatWhole } from '#ui/format/number.ts';
import type { Column } from '#ui/table/table-column.ts';
import { useNamedGroup } from '#api/user-groups.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { call } from '#api/call.ts';
import { Switch } from '#ui/form/switch.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { refreshGroups } from './user-group-api.ts';

interface Props {
  group: UserGroupRow;
}

/** Name, with the symbol below that other records use. */
function GroupName({ group }: Props) {
  const { name, symbol } = useNamedGroup()(group);
  return (
    <span className="grid min-w-0 leading-4.5">
      <MiddleCut text={name} />
      <span className="truncate font-mono text-12/4 text-text2">{symbol}</span>
    </span>
  );
}

const ratioText = (ratio: number): string => `× ${formatPlain(ratio)}`;

/** Rate from which the limiter is a token bucket. */
const bucketFrom = 60;

function GroupRate({ group: { api_rate: rate } }: Props) {
  const { t } = useTranslation('userGroup');
  return (
    <span className="inline-flex flex-col items-end align-middle leading-4.5 tabular-nums">
      {formatWhole(rate)}
      <span className="text-12/4 text-text2">{t(rate < bucketFrom ? 'counter' : 'bucket')}</span>
    </span>
  );
}

function GroupPick({ group }: Props) {
  const { t } = useTranslation('userGroup');
  return group.public ? <span>{t('public')}</span> : <span className="text-text2">{t('byHand')}</span>;
}

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

/** Applies at once; the server refuses for a group in use, and the switch flips back. The default group stays on. */
function UserGroupSwitch({ group }: { group: UserGroup }) {
  const { t } = useTranslation('userGroup');
  const client = useQueryClient();
  const named = useNamedGroup();
  const toggle = useMutation({
    mutationFn: () => call(userGroupApi.toggle, { params: { id: group.id }, query: { enable: `${!group.enable}` } }),
    onSuccess: ({ name, enable }) => toast.success(t(enable ? 'enabledDone' : 'disabledDone', { name })),
    onSettled: () => refreshGroups(client),
  });
  return (
    <Switch
      label={t('enabledOf', { name: named(group).name })}
      checked={toggle.isPending ? !group.enable : group.enable}
      saves
      disabled={group.symbol === defaultUserGroup.symbol}
      onChange={() => !toggle.isPending && toggle.mutate()}
    />
  );
}
