import { userStatus, type ManagedTeam } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Handshake, Plus } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useAllGroups } from '#api/all-groups.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { capText } from '#domain/token/limit-words.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { ExportLink } from '#list/export-link.tsx';
import { filterToolbar } from '#list/list-filters.ts';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { beside, rowId, stepping, useListScreen } from '#list/use-list-screen.ts';
import { Button } from '#ui/basic/button.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Money } from '#ui/format/money.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import type { FilterDef } from '#ui/table/filter.ts';
import type { Column } from '#ui/table/table-column.ts';
import { TeamOwner } from './team-owner.tsx';
import { countTeams, refreshTeams, teamsFile } from './team-record.ts';
import { noTeamFilters, teamsPage } from './teams-api.ts';
import { useTeamMenu } from './use-team-menu.tsx';

const TeamView = lazy(async () => {
  const [{ TeamView: view }] = await Promise.all([import('./team-view.tsx'), loadTexts('activity')]);
  return { default: view };
});
const OwnerDialog = lazy(async () => ({ default: (await import('./owner-dialog.tsx')).OwnerDialog }));
const QuotaDrawer = lazy(async () => {
  const [{ QuotaDrawer: drawer }] = await Promise.all([import('#domain/quota/quota-drawer.tsx'), loadTexts('quota')]);
  return { default: drawer };
});

const route = getRouteApi('/panel/teams');
const nameOf = ({ name }: ManagedTeam) => name;

/** All teams, for administrators of the site. */
export function TeamsScreen() {
  const { t } = useTranslation('team');
  const { search, go, find } = useListScreen(route.useSearch(), route.useNavigate());
  const { show, adjust, ...query } = search;
  const client = useQueryClient();
  const [changing, setChanging] = useState<ManagedTeam>();
  const page = useQuery(teamsPage(query));
  const onAdjust = ({ id }: ManagedTeam) => go({ adjust: id });
  const menu = useTeamMenu({ onAdjust, onOwner: setChanging });
  const actions = <ExportLink label={t('download')} href={teamsFile(query)} />;
  const toolbar = filterToolbar({
    none: noTeamFilters,
    search: query,
    field: 'keyword',
    placeholder: t('searchAll'),
    filters: useFilters(),
    onChange: find,
    count: countTeams,
  });
  const adjusted = page.data?.data.find(({ id }) => id === adjust);
  const closeBalance = () => {
    void refreshTeams(client);
    go({ adjust: 0 });
  };
  return (
    <>
      <ListHeader title={t('allTitle')} text={t('allText')} actions={actions} />
      <DataTable
        name="teams"
        label={t('allTitle')}
        columns={useColumns()}
        page={page}
        search={query}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={useToolbarWith(toolbar, actions)}
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
        onOpen={({ id }) => go({ show: id }, beside)}
        activeKey={adjust || show || undefined}
        rowMenu={menu}
      />
      <Suspense>
        {show > 0 && adjust === 0 && (
          <TeamView
            id={show}
            query={query}
            menu={menu}
            onGo={(id) => go({ show: id }, stepping)}
            onAdjust={onAdjust}
            onClose={() => go({ show: 0 }, stepping)}
          />
        )}
        {adjust > 0 && (
          <QuotaDrawer
            key={adjust}
            user={{ id: adjust, username: adjusted?.name ?? t('title') }}
            onClose={closeBalance}
          />
        )}
        {changing && <OwnerDialog team={changing} onClose={() => setChanging(undefined)} />}
      </Suspense>
    </>
  );
}

function useFilters(): readonly FilterDef[] {
  const { t } = useTranslation(['team', 'shared']);
  const groups = useAllGroups();
  const pinned = true;
  const states = [
    { value: userStatus.enabled, label: t('shared:statusEnabled') },
    { value: userStatus.disabled, label: t('shared:statusDisabled') },
  ];
  return [
    {
      kind: 'options',
      id: 'group',
      label: t('group'),
      pinned,
      options: groups.map(({ symbol, name }) => ({ value: symbol, label: name })),
    },
    { kind: 'options', id: 'status', label: t('status'), pinned, options: states },
    { kind: 'options', id: 'owner_status', label: t('ownerStatus'), pinned, options: states },
  ];
}

function useColumns(): readonly Column<ManagedTeam>[] {
  const { t } = useTranslation('team');
  const groups = useUserGroups();
  return useMemo(
    () => [
      { id: 'username', head: t('name'), sortable: true, hideable: false, phone: 'title', cell: nameOf },
      { id: 'owner', head: t('owner'), width: 240, phone: 'line', cell: (team) => <TeamOwner team={team} /> },
      { id: 'members', head: t('members'), width: 96, align: 'right', cell: ({ members }) => members },
      { id: 'group', head: t('group'), width: 124, hidden: true, cell: ({ group }) => groups[group]?.name ?? group },
      {
        id: 'quota',
        head: t('balance'),
        width: 124,
        align: 'right',
        sortable: true,
        descFirst: true,
        phone: 'aside',
        cell: ({ quota }) => <Money credits={quota} className={quota <= 0 ? 'text-warn' : undefined} />,
      },
      {
        id: 'month',
        head: t('monthUsed'),
        width: 140,
        align: 'right',
        cell: ({ month_quota: used }) => <Money credits={used} />,
      },
      {
        id: 'used_quota',
        head: t('used'),
        width: 124,
        align: 'right',
        sortable: true,
        descFirst: true,
        hidden: true,
        cell: ({ used_quota: used }) => <Money credits={used} />,
      },
      { id: 'limits', head: t('limits'), width: 160, cell: ({ caps }) => <Caps caps={caps} /> },
      {
        id: 'status',
        head: t('status'),
        width: 104,
        phone: 'value',
        cell: ({ status }) => <Status kind={status === userStatus.enabled ? 'enabled' : 'disabled'} />,
      },
    ],
    [t, groups],
  );
}

/** The first limit of a team, and how many more there are. */
function Caps({ caps }: Pick<ManagedTeam, 'caps'>) {
  const { t } = useTranslation('token');
  const money = useSiteFormat();
  const [first, ...others] = caps;
  if (!first) return <span className="text-text3">—</span>;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="truncate">{capText(first, t, money)}</span>
      {others.length > 0 && (
        <span className="flex-none rounded-full bg-fill px-1.5 text-12/4 text-text2">+{others.length}</span>
      )}
    </span>
  );
}
