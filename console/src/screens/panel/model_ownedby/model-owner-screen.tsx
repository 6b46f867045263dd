import { LAST_RESERVED_OWNER, type ModelOwner } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Building2, Pencil, Trash2 } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ownersQuery } from '#api/owners.ts';
import { CreateButton } from '#list/create-button.tsx';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { rowId, useRecordScreen } from '#list/use-list-screen.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import type { Column } from '#ui/table/table-column.ts';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { ownerPage } from './model-owner-list.ts';

const loadDrawer = () => import('./model-owner-drawer.tsx');
const ModelOwnerDrawer = lazy(async () => ({ default: (await loadDrawer()).ModelOwnerDrawer }));
const RemoveModelOwner = lazy(async () => ({ default: (await import('./remove-model-owner.tsx')).RemoveModelOwner }));

const route = getRouteApi('/panel/model_ownedby');
const nameOf = ({ name }: ModelOwner) => name;

/** Makers of models, with the name and icon that lists show for them. */
export function ModelOwnerScreen() {
  const { t } = useTranslation('modelOwner');
  const { edit, query, activeKey, go, find, open, create, closeForm } = useRecordScreen(
    route.useSearch(),
    route.useNavigate(),
  );
  const owners = useQuery({ ...ownersQuery, meta: { quiet: true } });
  const page = useMemo(() => owners.data && ownerPage(owners.data, query), [owners.data, query]);
  const [removing, setRemoving] = useState<ModelOwner>();
  const menu = (owner: ModelOwner): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => open(owner) },
    owner.id > LAST_RESERVED_OWNER && 'line',
    owner.id > LAST_RESERVED_OWNER && {
      label: t('remove'),
      icon: Trash2,
      danger: true,
      onSelect: () => setRemoving(owner),
    },
  ];
  const add = <CreateButton label={t('add')} preload={loadDrawer} onCreate={create} />;
  const toolbar = { search: { value: query.q, placeholder: t('search'), onChange: (q: string) => find({ q }) } };
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={add} />
      <DataTable
        name="model_ownedby"
        label={t('title')}
        columns={useColumns()}
        page={{ ...owners, data: page }}
        search={query}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={useToolbarWith(toolbar, add)}
        empty={<EmptyState icon={Building2} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={open}
        activeKey={activeKey}
        rowMenu={menu}
        summary={page && page.total_count <= query.size ? t('count', { count: page.total_count }) : undefined}
        note={t('note')}
      />
      <Suspense>
        {edit !== '' && owners.data && (
          <ModelOwnerDrawer key={edit} edit={edit} owners={owners.data} onRemove={setRemoving} onClose={closeForm} />
        )}
        {removing && <RemoveModelOwner owner={removing} onRemoved={closeForm} onClose={() => setRemoving(undefined)} />}
      </Suspense>
    </>
  );
}

function useColumns(): readonly Column<ModelOwner>[] {
  const { t } = useTranslation('modelOwner');
  return useMemo(
    () => [
      {
        id: 'id',
        head: t('id'),
        width: 96,
        align: 'right',
        sortable: true,
        phone: 'value',
        phoneCell: ({ id }) => <span className="text-13 font-normal text-text2">#{id}</span>,
        cell: ({ id }) => id,
      },
      {
        id: 'name',
        head: t('owner'),
        sortable: true,
        hideable: false,
        phone: 'title',
        phoneCell: ({ name, icon }) => (
          <span className="flex items-center gap-3 font-title">
            <OwnerTile name={name} icon={icon} size={32} />
            <span className="truncate">{name}</span>
          </span>
        ),
        cell: ({ name, icon }) => (
          <span className="flex min-w-0 items-center gap-2.5">
            <OwnerTile name={name} icon={icon} />
            <span className="min-w-0 truncate">{name}</span>
          </span>
        ),
      },
    ],
    [t],
  );
}
