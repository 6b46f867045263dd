import type { Inviter } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List, ScrollText, UserPlus, Users } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filterToolbar } from '#list/list-filters.ts';
import { rowId, useListScreen } from '#list/use-list-screen.ts';
import { Button } from '#ui/basic/button.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { countInviters, inviterPage, type InviterQuery } from './inviter-api.ts';
import { InviterCard } from './inviter-card.tsx';
import { useInviterColumns } from './use-inviter-columns.tsx';

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
      <PageHeader title={t('title')} text={t(useIsPhone() ? 'title' : 'text')}>
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
