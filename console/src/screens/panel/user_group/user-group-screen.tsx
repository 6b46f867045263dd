import { defaultUserGroup, userGroupApi, type UserGroupRow } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Pencil, Plus, Trash2, UsersRound } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '#api/call.ts';
import { useNamedGroup } from '#api/user-groups.ts';
import { Button } from '#ui/basic/button.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Filled } from '#ui/form/filled.tsx';
import type { FilterValues } from '#ui/table/filter.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { useUserGroupColumns } from './use-user-group-columns.tsx';
import { userGroupPage, type UserGroupSearch } from './user-group-api.ts';
import { UserGroupCard } from './user-group-card.tsx';

const loadDrawer = () => import('./user-group-drawer.tsx');
const UserGroupDrawer = lazy(async () => ({ default: (await loadDrawer()).UserGroupDrawer }));
const RemoveUserGroup = lazy(async () => ({ default: (await import('./remove-user-group.tsx')).RemoveUserGroup }));

const route = getRouteApi('/panel/user_group');
const keyOf = ({ id }: UserGroupRow) => id;

export function UserGroupScreen() {
  const { t } = useTranslation('userGroup');
  const { edit, ...query } = route.useSearch();
  const navigate = route.useNavigate();
  const page = useQuery(userGroupPage(query));
  const phone = useIsPhone();
  const named = useNamedGroup();
  const [removing, setRemoving] = useState<UserGroupRow>();
  const go = (change: Partial<UserGroupSearch>) => void navigate({ search: (now) => ({ ...now, ...change }) });
  const toolbar = useGroupToolbar(query, (change) => go({ ...change, page: 1 }));
  const menu = (group: UserGroupRow): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => go({ edit: String(group.id) }) },
    group.symbol !== defaultUserGroup.symbol && 'line',
    group.symbol !== defaultUserGroup.symbol && {
      label: t('remove'),
      icon: Trash2,
      danger: true,
      onSelect: () => setRemoving(group),
    },
  ];
  const add = (
    <Button
      variant="primary"
      icon={Plus}
      onPointerEnter={() => void loadDrawer()}
      onFocus={() => void loadDrawer()}
      onClick={() => go({ edit: 'new' })}
    >
      {t('add')}
    </Button>
  );
  const total = page.data?.total_count ?? 0;
  return (
    <>
      {phone ? (
        <PageHeader title={t('title')} />
      ) : (
        <PageHeader title={t('title')} text={t('text')}>
          {add}
        </PageHeader>
      )}
      <DataTable
        name="user_group"
        label={t('title')}
        columns={useUserGroupColumns()}
        page={page}
        search={query}
        onSearch={go}
        keyOf={keyOf}
        nameOf={(group) => named(group).name}
        // On a phone the list comes first: its toolbar has room for what the header holds elsewhere.
        toolbar={phone ? { ...toolbar, aside: add } : toolbar}
        empty={<EmptyState icon={UsersRound} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={({ id }) => go({ edit: String(id) })}
        activeKey={Number(edit) || undefined}
        rowMenu={menu}
        card={(group) => <UserGroupCard group={group} menu={menu} />}
        summary={total <= query.size ? t('count', { count: total }) : undefined}
        note={
          <Filled text={t('note')} parts={{ symbol: <code className="font-mono">{defaultUserGroup.symbol}</code> }} />
        }
      />
      <Suspense>
        {edit !== '' && (
          <UserGroupDrawer key={edit} edit={edit} onRemove={setRemoving} onClose={() => go({ edit: '' })} />
        )}
        {removing && (
          <RemoveUserGroup group={removing} onRemoved={() => go({ edit: '' })} onClose={() => setRemoving(undefined)} />
        )}
      </Suspense>
    </>
  );
}

/** Search by name, and whether a group is on. */
function useGroupToolbar(
  { Name, enable }: Pick<UserGroupSearch, 'Name' | 'enable'>,
  onSearch: (change: Partial<UserGroupSearch>) => void,
) {
  const { t } = useTranslation('userGroup');
  const asEnable = (values: FilterValues): UserGroupSearch['enable'] => {
    const value = values['enable'];
    return value === 'true' || value === 'false' ? value : '';
  };
  return {
    search: { value: Name, placeholder: t('search'), onChange: (next: string) => onSearch({ Name: next }) },
    filters: [
      {
        kind: 'options' as const,
        id: 'enable',
        label: t('enabled'),
        pinned: true,
        options: [
          { value: 'true', label: t('yes') },
          { value: 'false', label: t('no') },
        ],
      },
    ],
    values: { enable },
    onFilter: (change: FilterValues) => onSearch({ enable: asEnable(change) }),
    onClear: () => onSearch({ Name: '', enable: '' }),
    countFor: async (values: FilterValues) =>
      (await call(userGroupApi.list, { query: { Name, enable: asEnable(values), size: 1 } })).total_count,
  };
}
