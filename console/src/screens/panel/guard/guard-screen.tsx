import type { GuardRule } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Pencil, Power, ShieldAlert, Trash2 } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { CreateButton } from '#list/create-button.tsx';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { rowId, useRecordScreen } from '#list/use-list-screen.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Time } from '#ui/format/time.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { guardPage } from './guard-api.ts';
import { useGuardActions } from './use-guard-actions.ts';

const loadDrawer = () => import('./guard-drawer.tsx');
const GuardDrawer = lazy(async () => ({ default: (await loadDrawer()).GuardDrawer }));

const route = getRouteApi('/panel/guard');
const nameOf = ({ name }: GuardRule) => name;

/** Rules that mask or refuse what requests and answers hold. */
export function GuardScreen() {
  const { t } = useTranslation('guard');
  const { edit, query, activeKey, go, find, open, create } = useRecordScreen(route.useSearch(), route.useNavigate());
  const page = useQuery(guardPage(query));
  const { toggle, remove } = useGuardActions();
  const menu = (rule: GuardRule): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => open(rule) },
    { label: t(rule.enabled ? 'disable' : 'enable'), icon: Power, onSelect: () => toggle(rule) },
    { label: t('remove'), icon: Trash2, danger: true, onSelect: () => remove(rule) },
  ];
  const add = <CreateButton label={t('add')} preload={loadDrawer} onCreate={create} />;
  const toolbar = {
    search: { value: query.keyword, placeholder: t('search'), onChange: (keyword: string) => find({ keyword }) },
  };
  const total = page.data?.total_count ?? 0;
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={add} />
      <DataTable
        name="guard"
        label={t('title')}
        columns={useColumns()}
        page={page}
        search={query}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={useToolbarWith(toolbar, add)}
        empty={<EmptyState icon={ShieldAlert} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={open}
        activeKey={activeKey}
        rowMenu={menu}
        summary={total <= query.size ? t('count', { count: total }) : undefined}
      />
      <Suspense>{edit !== '' && <GuardDrawer key={edit} edit={edit} onClose={() => go({ edit: '' })} />}</Suspense>
    </>
  );
}

function useColumns(): readonly Column<GuardRule>[] {
  const { t } = useTranslation('guard');
  return useMemo(
    () => [
      {
        id: 'name',
        head: t('name'),
        width: 200,
        sortable: true,
        hideable: false,
        phone: 'title',
        cell: ({ name }) => <span className="block truncate">{name}</span>,
      },
      {
        id: 'status',
        head: t('status'),
        width: 110,
        phone: 'aside',
        cell: ({ enabled }) => (
          <Status kind={enabled ? 'enabled' : 'disabled'} text={t(enabled ? 'enabled' : 'disabled')} />
        ),
      },
      {
        id: 'action',
        head: t('action'),
        width: 230,
        phone: 'line',
        cell: ({ action, requests, answers }) => (
          <span className="block truncate">
            {t(`actions.${action}`)} · {t(requests && answers ? 'both' : requests ? 'requests' : 'answers')}
          </span>
        ),
      },
      {
        id: 'searched',
        head: t('searched'),
        phone: 'line',
        cell: ({ kinds, patterns, hook }) => (
          <span className="block truncate">
            {[...kinds.map((kind) => t(`kinds.${kind}`)), ...patterns, ...(hook ? [t('service')] : [])].join(', ')}
          </span>
        ),
      },
      { id: 'scope', head: t('scope'), width: 180, cell: (rule) => <Scope rule={rule} /> },
      {
        id: 'updated_time',
        head: t('updated'),
        width: 200,
        sortable: true,
        cell: ({ updated_by: name, updated_time: at }) => (
          <span className="block truncate text-text2">
            {name} · <Time at={at} as="relative" />
          </span>
        ),
      },
    ],
    [t],
  );
}

function Scope({ rule: { groups, token_ids: tokens } }: { rule: GuardRule }) {
  const { t } = useTranslation('guard');
  const known = useUserGroups();
  const names = [
    ...groups.map((symbol) => known[symbol]?.name ?? symbol),
    ...(tokens.length > 0 ? [t('tokenCount', { count: tokens.length })] : []),
  ];
  return <span className="block truncate">{names.length > 0 ? names.join(', ') : t('everyone')}</span>;
}
