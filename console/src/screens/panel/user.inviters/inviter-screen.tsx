import type { Inviter } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List, ScrollText, TriangleAlert, UserPlus, Users } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filterToolbar } from '#list/list-filters.ts';
import { rowId, useListScreen } from '#list/use-list-screen.ts';
import { Button } from '#ui/basic/button.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Time } from '#ui/format/time.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { RowActions } from '#ui/table/table-row.tsx';
import { Avatar } from '#ui/basic/avatar.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { countInviters, inviterPage, type InviterQuery } from './inviter-api.ts';

const route = getRouteApi('/panel/user/inviters');
const nameOf = ({ username }: Inviter) => username;
const noFilters = { keyword: '', suspicious: 0 };

/** Accounts that invited others, with signs of people who invite themselves. */
export function InviterScreen() {
  const { t } = useTranslation('inviter');
  const { search, go, find } = useListScreen(route.useSearch(), route.useNavigate());
  const navigate = route.useNavigate();
  const menu = useInviterMenu();
  const users = (
    <Button icon={Users} render={<Link to="/panel/user" />}>
      {t('users')}
    </Button>
  );
  return (
    <>
      {/* On phones the top bar shows the title of the users' list. */}
      <PageHeader title={t('title')} text={t('text')}>
        {users}
      </PageHeader>
      <DataTable
        name="inviter"
        label={t('title')}
        columns={useInviterColumns()}
        page={useQuery(inviterPage(search))}
        search={search}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={useInviterToolbar(search, find)}
        empty={<EmptyState icon={UserPlus} title={t('emptyTitle')} text={t('emptyText')} action={users} />}
        onOpen={({ id }) => void navigate({ to: '/panel/user', search: { inviter: id } })}
        rowMenu={menu}
        card={(inviter) => <InviterCard inviter={inviter} menu={menu} />}
      />
    </>
  );
}

function useInviterToolbar(search: InviterQuery, onChange: (filters: Partial<InviterQuery>) => void) {
  const { t } = useTranslation('inviter');
  return filterToolbar({
    none: noFilters,
    search,
    field: 'keyword',
    placeholder: t('search'),
    filters: [
      {
        kind: 'options',
        id: 'suspicious',
        label: t('signs'),
        pinned: true,
        options: [{ value: 1, label: t('suspicious') }],
      },
    ],
    onChange,
    count: countInviters,
  });
}

function useInviterMenu(): (inviter: Inviter) => MenuEntries {
  const { t } = useTranslation('inviter');
  return ({ id, username }) => [
    { label: t('showInvited'), icon: List, render: <Link to="/panel/user" search={{ inviter: id }} /> },
    { label: t('showAccount'), icon: Users, render: <Link to="/panel/user" search={{ keyword: String(id) }} /> },
    { label: t('showLedger'), icon: ScrollText, render: <Link to="/panel/ledger" search={{ username }} /> },
  ];
}

function useInviterColumns(): readonly Column<Inviter>[] {
  const { t } = useTranslation('inviter');
  return useMemo(() => {
    const number = { width: 100, align: 'right', sortable: true, descFirst: true } as const;
    return [
      {
        id: 'username',
        head: t('inviter'),
        sortable: true,
        hideable: false,
        cell: (inviter) => <InviterName inviter={inviter} />,
      },
      { id: 'invited', head: t('invited'), ...number, cell: ({ invited }) => formatWhole(invited) },
      { id: 'rewarded', head: t('rewarded'), ...number, cell: ({ rewarded }) => formatWhole(rewarded) },
      { id: 'earned', head: t('earned'), ...number, cell: ({ earned }) => <Money credits={earned} /> },
      {
        id: 'same_address',
        head: t('sameAddress'),
        ...number,
        width: 124,
        cell: ({ same_address: count }) => formatWhole(count),
      },
      { id: 'same_day', head: t('sameDay'), ...number, width: 112, cell: ({ same_day: count }) => formatWhole(count) },
      { id: 'signs', head: t('signs'), width: 208, cell: (inviter) => <InviterSigns inviter={inviter} /> },
      {
        id: 'last_time',
        head: t('last'),
        width: 120,
        sortable: true,
        descFirst: true,
        cell: ({ last_time: at }) => <Time at={at} as="date" className="text-text2" />,
      },
    ];
  }, [t]);
}

interface Props {
  inviter: Inviter;
  menu: (inviter: Inviter) => MenuEntries;
}

function InviterCard({ inviter, menu }: Props) {
  const { t } = useTranslation('inviter');
  return (
    <>
      <div className="-mt-1 flex items-center gap-2">
        <span className="min-w-0 flex-1">
          <InviterName inviter={inviter} />
        </span>
        <Money credits={inviter.earned} className="flex-none" />
        <span className="-mr-2">
          <RowActions row={inviter} nameOf={nameOf} menu={menu} />
        </span>
      </div>
      <div className="mt-1.5 -mb-0.5 flex items-center gap-3 text-13">
        <span className="flex-none text-text2 tabular-nums">
          {t('invitedCount', { count: formatWhole(inviter.invited) })}
        </span>
        <span className="ml-auto min-w-0">
          <InviterSigns inviter={inviter} />
        </span>
      </div>
    </>
  );
}

interface InviterNameProps {
  inviter: Inviter;
}

function InviterName({ inviter }: InviterNameProps) {
  const { id, username, display_name: shown } = inviter;
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <Avatar user={inviter} size={28} tone="neutral" />
      <span className="grid min-w-0 leading-4.5">
        <MiddleCut text={username} />
        <span className="truncate text-12/4 text-text2">
          #{id}
          {shown !== '' && shown !== username && ` · ${shown}`}
        </span>
      </span>
    </span>
  );
}

/** Why an inviter is suspicious; nothing if they are not. */
function InviterSigns({ inviter: { suspicious } }: InviterNameProps) {
  const { t } = useTranslation('inviter');
  if (suspicious.length === 0) return null;
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 align-middle text-13 text-warn">
      <Icon of={TriangleAlert} />
      <span className="truncate">{suspicious.map((reason) => t(`reason.${reason}`)).join(' · ')}</span>
    </span>
  );
}
