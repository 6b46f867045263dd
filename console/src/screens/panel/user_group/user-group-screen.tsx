import { defaultUserGroup, userGroupApi, type UserGroupRow } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Pencil, Trash2, UsersRound } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { useNamedGroup } from '#api/user-groups.ts';
import { CreateButton } from '#list/create-button.tsx';
import { filterToolbar } from '#list/list-filters.ts';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { rowId, useRecordScreen } from '#list/use-list-screen.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { useUserGroupColumns } from './use-user-group-columns.tsx';
import { userGroupPage, type UserGroupQuery } from './user-group-api.ts';

const loadDrawer = () => import('./user-group-drawer.tsx');
const UserGroupDrawer = lazy(async () => ({ default: (await loadDrawer()).UserGroupDrawer }));
const RemoveUserGroup = lazy(async () => ({ default: (await import('./remove-user-group.tsx')).RemoveUserGroup }));

const route = getRouteApi('/panel/user_group');

export function UserGroupScreen() {
  const { t } = useTranslation('userGroup');
  const { edit, query, activeKey, go, find, open, create, closeForm } = useRecordScreen(
    route.useSearch(),
    route.useNavigate(),
  );
  const page = useQuery(userGroupPage(query));
  const named = useNamedGroup();
  const [removing, setRemoving] = useState<UserGroupRow>();
  const menu = (group: UserGroupRow): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => open(group) },
    group.symbol !== defaultUserGroup.symbol && 'line',
    group.symbol !== defaultUserGroup.symbol && {
      label: t('remove'),
      icon: Trash2,
      danger: true,
      onSelect: () => setRemoving(group),
    },
  ];
  const add = <CreateButton label={t('add')} preload={loadDrawer} onCreate={create} />;
  const total = page.data?.total_count ?? 0;
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={add} />
      <DataTable
        name="user_group"
        label={t('title')}
        columns={useUserGroupColumns()}
        page={page}
        search={query}
        onSearch={go}
        keyOf={rowId}
        nameOf={(group) => named(group).name}
        toolbar={useToolbarWith(useGroupToolbar(query, find), add)}
        empty={<EmptyState icon={UsersRound} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={open}
        activeKey={activeKey}
        rowMenu={menu}
        summary={total <= query.size ? t('count', { count: total }) : undefined}
        note={
          <TextWithElements
            text={t('note')}
            parts={{ symbol: <code className="font-mono">{defaultUserGroup.symbol}</code> }}
          />
        }
      />
      <Suspense>
        {edit !== '' && <UserGroupDrawer key={edit} edit={edit} onRemove={setRemoving} onClose={closeForm} />}
        {removing && <RemoveUserGroup group={removing} onRemoved={closeForm} onClose={() => setRemoving(undefined)} />}
      </Suspense>
    </>
  );
}

const noFilters: Pick<UserGroupQuery, 'Name' | 'enable'> = { Name: '', enable: '' };

function useGroupToolbar(query: UserGroupQuery, onChange: (filters: Partial<UserGroupQuery>) => void) {
  const { t } = useTranslation('userGroup');
  return filterToolbar({
    none: noFilters,
    search: query,
    field: 'Name',
    placeholder: t('search'),
    filters: [
      {
        kind: 'options',
        id: 'enable',
        label: t('enabled'),
        pinned: true,
        options: [
          { value: 'true', label: t('yes') },
          { value: 'false', label: t('no') },
        ],
      },
    ],
    onChange,
    count: async (filters) => (await call(userGroupApi.list, { query: { ...filters, size: 1 } })).total_count,
  });
}
