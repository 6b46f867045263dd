import { teamAdminApi, userStatus, type ManagedTeam } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Ban, CircleCheck, Handshake, List, Plus, ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { rowId, useListScreen } from '#list/use-list-screen.ts';
import { Button } from '#ui/basic/button.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Money } from '#ui/format/money.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { teamsPage } from './teams-api.ts';

const route = getRouteApi('/panel/teams');
const nameOf = ({ name }: ManagedTeam) => name;

/** All teams, for administrators of the site. */
export function TeamsScreen() {
  const { t } = useTranslation('team');
  const { search, go, find } = useListScreen(route.useSearch(), route.useNavigate());
  const client = useQueryClient();
  const groups = useUserGroups();
  const update = useMutation({
    mutationFn: ({ id, ...body }: { id: number; status?: 1 | 2; group?: string }) =>
      call(teamAdminApi.update, { params: { id }, body }),
    onSettled: () => refresh(client, teamAdminApi.list),
  });
  const menu = (team: ManagedTeam): MenuEntries => [
    { label: t('usage'), icon: List, render: <Link to="/panel/log" search={{ username: team.name }} /> },
    { label: t('balance'), icon: ScrollText, render: <Link to="/panel/ledger" search={{ username: team.name }} /> },
    {
      label: t('changeGroup'),
      value: team.group,
      options: Object.values(groups).map(({ symbol, name }) => ({ value: symbol, label: name })),
      onPick: (group) => update.mutate({ id: team.id, group }),
    },
    'line',
    team.status === userStatus.enabled
      ? { label: t('disable'), icon: Ban, danger: true, onSelect: () => update.mutate({ id: team.id, status: 2 }) }
      : {
          label: t('enable'),
          icon: CircleCheck,
          saves: true,
          onSelect: () => update.mutate({ id: team.id, status: 1 }),
        },
  ];
  const toolbar = {
    search: { value: search.keyword, placeholder: t('search'), onChange: (keyword: string) => find({ keyword }) },
  };
  return (
    <>
      <PageHeader title={t('allTitle')} text={t('allText')} />
      <DataTable
        name="teams"
        label={t('allTitle')}
        columns={useColumns()}
        page={useQuery(teamsPage(search))}
        search={search}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={toolbar}
        empty={
          <EmptyState
            icon={Handshake}
            title={t('emptyTitle')}
            text={t('emptyText')}
            action={
              <Button variant="primary" icon={Plus} render={<Link to="/panel/team" />}>
                {t('create')}
              </Button>
            }
          />
        }
        rowMenu={menu}
      />
    </>
  );
}

function useColumns(): readonly Column<ManagedTeam>[] {
  const { t } = useTranslation('team');
  return useMemo(
    () => [
      {
        id: 'username',
        head: t('name'),
        sortable: true,
        hideable: false,
        phone: 'title',
        cell: ({ name, status }) => (
          <span className="flex items-center gap-2">
            <span className="truncate">{name}</span>
            {status !== userStatus.enabled && <Chip tone="warn">{t('off')}</Chip>}
          </span>
        ),
      },
      { id: 'owner', head: t('owner'), width: 180, phone: 'line', cell: ({ owner }) => owner },
      { id: 'members', head: t('members'), width: 110, cell: ({ members }) => members },
      { id: 'group', head: t('group'), width: 150, phone: 'line', cell: ({ group }) => group },
      {
        id: 'quota',
        head: t('balance'),
        width: 140,
        sortable: true,
        phone: 'aside',
        cell: ({ quota }) => <Money credits={quota} />,
      },
      {
        id: 'used_quota',
        head: t('used'),
        width: 140,
        sortable: true,
        cell: ({ used_quota: used }) => <Money credits={used} />,
      },
    ],
    [t],
  );
}
