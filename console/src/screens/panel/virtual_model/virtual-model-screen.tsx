import type { VirtualModel } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Pencil, Power, Split, Trash2, Waypoints } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { CreateButton } from '#list/create-button.tsx';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { rowId, useRecordScreen } from '#list/use-list-screen.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Time } from '#ui/format/time.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { useVirtualModelActions } from './use-virtual-model-actions.ts';
import { virtualModelPage } from './virtual-model-api.ts';

const loadDrawer = () => import('./virtual-model-drawer.tsx');
const VirtualModelDrawer = lazy(async () => ({ default: (await loadDrawer()).VirtualModelDrawer }));

const route = getRouteApi('/panel/virtual_model');
const nameOf = ({ name }: VirtualModel) => name;

/** Names that stand for a chain of models. */
export function VirtualModelScreen() {
  const { t } = useTranslation('virtualModel');
  const { edit, query, activeKey, go, find, open, create } = useRecordScreen(route.useSearch(), route.useNavigate());
  const page = useQuery(virtualModelPage(query));
  const navigate = useNavigate();
  const { toggle, remove } = useVirtualModelActions();
  const menu = (model: VirtualModel): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => open(model) },
    {
      label: t('explain'),
      icon: Waypoints,
      onSelect: () => void navigate({ to: '/panel/channel', search: { why: 1, why_model: model.name } }),
    },
    { label: t(model.enabled ? 'disable' : 'enable'), icon: Power, onSelect: () => toggle(model) },
    { label: t('remove'), icon: Trash2, danger: true, onSelect: () => remove(model) },
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
        name="virtual-model"
        label={t('title')}
        columns={useColumns()}
        page={page}
        search={query}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={useToolbarWith(toolbar, add)}
        empty={<EmptyState icon={Split} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={open}
        activeKey={activeKey}
        rowMenu={menu}
        summary={total <= query.size ? t('count', { count: total }) : undefined}
      />
      <Suspense>
        {edit !== '' && <VirtualModelDrawer key={edit} edit={edit} onClose={() => go({ edit: '' })} />}
      </Suspense>
    </>
  );
}

function useColumns(): readonly Column<VirtualModel>[] {
  const { t } = useTranslation('virtualModel');
  return useMemo(
    () => [
      {
        id: 'name',
        head: t('name'),
        width: 220,
        sortable: true,
        hideable: false,
        phone: 'title',
        cell: ({ name }) => <span className="block truncate font-mono text-12">{name}</span>,
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
        id: 'steps',
        head: t('steps'),
        phone: 'line',
        cell: ({ steps, shadow }) => (
          <span className="block truncate">
            {steps.map(({ models }) => models.map(({ model }) => model).join(' | ')).join(' → ')}
            {shadow && <span className="text-text2"> · {t('shadowTo', { model: shadow.model })}</span>}
          </span>
        ),
      },
      {
        id: 'updated_time',
        head: t('updated'),
        width: 220,
        sortable: true,
        phone: 'line',
        cell: ({ version, updated_by: name, updated_time: at }) => (
          <span className="block truncate text-text2">
            {t('version', { version })} · {name} · <Time at={at} as="relative" />
          </span>
        ),
      },
    ],
    [t],
  );
}
