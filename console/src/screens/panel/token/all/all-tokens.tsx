import { type OwnedToken, tokenAdminApi, tokenStatus } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowRightLeft, CircleCheck, CircleMinus, KeyRound, List, Pencil, Plus, User } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { Button } from '#ui/basic/button.tsx';
import { beside, rowId, stepping, useRecordScreen } from '#list/use-list-screen.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { ListHeader } from '#list/list-header.tsx';
import { type RecordActions, useRecordActions } from '#list/record-actions.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { filterToolbar } from '#list/list-filters.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { stateOf } from '../token-state.ts';
import { countOwnedTokens, ownedTokenById, ownedTokenPage, setOwnedStatus } from './all-api.ts';
import { ScopeSwitch } from './scope-switch.tsx';
import { useAllColumns } from './use-all-columns.tsx';
import { tokenStates } from '../use-token-toolbar.tsx';

const noOwnedFilters = { keyword: '', tag: '', status: 0, user_id: 0 };
type Filters = typeof noOwnedFilters;

/** Of a pasted key only the end is searched for and kept in the address. */
const withoutKey = (filters: Filters): Filters => ({
  ...filters,
  keyword: /^(?:sk-)?[\w-]{20,}$/.test(filters.keyword) ? filters.keyword.slice(-4) : filters.keyword,
});

function useAllToolbar(search: Filters, onChange: (filters: Filters) => void): ToolbarProps {
  const { t } = useTranslation(['tokenAdmin', 'token']);
  const { user_id: owner } = search;
  const filters = useMemo(
    (): FilterDef[] => [
      {
        kind: 'options',
        id: 'status',
        label: t('token:status'),
        pinned: true,
        options: tokenStates.map((state) => ({ value: tokenStatus[state], label: t(`token:states.${state}`) })),
      },
      { kind: 'text', id: 'tag', label: t('token:tag'), pinned: true },
      ...(owner === 0
        ? []
        : [
            {
              kind: 'options' as const,
              id: 'user_id',
              label: t('owner'),
              pinned: true,
              options: [{ value: owner, label: `#${owner}` }],
            },
          ]),
    ],
    [t, owner],
  );
  return filterToolbar({
    none: noOwnedFilters,
    search,
    field: 'keyword',
    placeholder: t('search'),
    filters,
    onChange: (next) => onChange(withoutKey(next)),
    count: countOwnedTokens,
  });
}

const AllTokenDrawer = lazy(async () => ({ default: (await import('./all-token-drawer.tsx')).AllTokenDrawer }));
const OwnedTokenView = lazy(async () => ({
  default: (await import('#screens/panel/token/view/token-view.tsx')).OwnedTokenView,
}));
const TransferDialog = lazy(async () => ({ default: (await import('./transfer-dialog.tsx')).TransferDialog }));

const isIn = (state: 'enabled' | 'disabled') => (token: OwnedToken) => stateOf(token, Date.now() / 1000) === state;

const statusActions = {
  disable: {
    label: 'disable',
    done: 'disabled',
    icon: CircleMinus,
    when: isIn('enabled'),
    send: ({ id }) => setOwnedStatus(id, tokenStatus.disabled),
    undo: 'enable',
  },
  enable: {
    label: 'enable',
    done: 'enabled',
    icon: CircleCheck,
    when: isIn('disabled'),
    send: ({ id }) => setOwnedStatus(id, tokenStatus.enabled),
    undo: 'disable',
  },
} satisfies RecordActions<OwnedToken, 'token'>;

const route = getRouteApi('/panel/token');
const nameOf = ({ name, username }: OwnedToken) => `${name} (${username})`;

/** Tokens of all accounts, for administrators: found, limited, disabled and transferred. Keys are never shown. */
export function AllTokens() {
  const { t } = useTranslation(['tokenAdmin', 'token']);
  const { edit, query, activeKey, go, find, open, closeForm } = useRecordScreen(route.useSearch(), route.useNavigate());
  const { show, page, size, order, keyword, tag, status, user_id } = query;
  const search = { page, size, order, keyword, tag, status, user_id };
  const rows = useQuery(ownedTokenPage(search));
  const actions = useRecordActions('token', statusActions, {
    nameOf: ({ name }) => name,
    refresh: (client) => refresh(client, tokenAdminApi.list, tokenAdminApi.get),
  });
  const [moving, setMoving] = useState<OwnedToken>();
  const menu = (token: OwnedToken): MenuEntries => [
    { label: t('editLimits'), icon: Pencil, onSelect: () => open(token) },
    ...actions.menu(token),
    { label: t('transferMenu'), icon: ArrowRightLeft, saves: true, onSelect: () => setMoving(token) },
    'line',
    { label: t('showOwner'), icon: User, render: <Link to="/panel/user" search={{ keyword: token.username }} /> },
    { label: t('showCalls'), icon: List, render: <Link to="/panel/log" search={{ token_id: token.id }} /> },
  ];
  const phone = useIsPhone();
  const toolbar = useAllToolbar(search, find);
  return (
    <>
      <ListHeader title={t('token:title')} text={t('text')} actions={<ScopeSwitch />} />
      <DataTable
        name="token-all"
        label={t('label')}
        columns={useAllColumns()}
        page={rows}
        search={search}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={phone ? { ...toolbar, children: <ScopeSwitch /> } : toolbar}
        empty={
          <EmptyState
            icon={KeyRound}
            title={t('emptyTitle')}
            text={t('emptyText')}
            action={
              <Button variant="primary" icon={Plus} render={<Link to="/panel/token" search={{ edit: 'new' }} />}>
                {t('token:create')}
              </Button>
            }
          />
        }
        onOpen={({ id }) => go({ show: id }, beside)}
        activeKey={activeKey ?? (show || undefined)}
        rowMenu={menu}
      />
      <Suspense>
        {show > 0 && edit === '' && (
          <OwnedTokenView
            id={show}
            rows={rows.data?.data ?? []}
            query={ownedTokenById(show)}
            onGo={(id) => go({ show: id }, stepping)}
            onEdit={open}
            onClose={() => go({ show: 0 }, stepping)}
          />
        )}
        {edit !== '' && <AllTokenDrawer key={edit} edit={edit} onClose={closeForm} />}
        {moving && <TransferDialog token={moving} onClose={() => setMoving(undefined)} />}
      </Suspense>
    </>
  );
}
