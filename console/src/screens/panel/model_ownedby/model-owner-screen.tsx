import { LAST_RESERVED_OWNER, type ModelOwner } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Building2, Pencil, Plus, Trash2 } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ownersQuery } from '#api/owners.ts';
import { Button } from '#ui/basic/button.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { RowActions } from '#ui/table/table-row.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { IconSource, OwnerName } from './model-owner-cells.tsx';
import { ownerPage } from './model-owner-list.ts';
import type { ModelOwnerSearch } from './route.tsx';

const loadDrawer = () => import('./model-owner-drawer.tsx');
const ModelOwnerDrawer = lazy(async () => ({ default: (await loadDrawer()).ModelOwnerDrawer }));
const RemoveModelOwner = lazy(async () => ({ default: (await import('./remove-model-owner.tsx')).RemoveModelOwner }));

const route = getRouteApi('/panel/model_ownedby');
const keyOf = ({ id }: ModelOwner) => id;
const nameOf = ({ name }: ModelOwner) => name;

/** Whose name and icon stand beside models. */
export function ModelOwnerScreen() {
  const { t } = useTranslation('modelOwner');
  const { edit, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const owners = useQuery({ ...ownersQuery, meta: { quiet: true } });
  const page = useMemo(() => owners.data && ownerPage(owners.data, search), [owners.data, search]);
  const phone = useIsPhone();
  const [removing, setRemoving] = useState<ModelOwner>();
  const go = (change: Partial<ModelOwnerSearch>) => void navigate({ search: (now) => ({ ...now, ...change }) });
  const menu = (owner: ModelOwner): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => go({ edit: String(owner.id) }) },
    owner.id > LAST_RESERVED_OWNER && 'line',
    owner.id > LAST_RESERVED_OWNER && {
      label: t('remove'),
      icon: Trash2,
      danger: true,
      onSelect: () => setRemoving(owner),
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
  const toolbar = {
    search: { value: search.q, placeholder: t('search'), onChange: (q: string) => go({ q, page: 1 }) },
  };
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
        name="model_ownedby"
        label={t('title')}
        columns={useColumns()}
        page={{ ...owners, data: page }}
        search={search}
        onSearch={go}
        keyOf={keyOf}
        nameOf={nameOf}
        toolbar={phone ? { ...toolbar, aside: add } : toolbar}
        empty={<EmptyState icon={Building2} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={({ id }) => go({ edit: String(id) })}
        activeKey={Number(edit) || undefined}
        rowMenu={menu}
        card={(owner) => (
          <div className="flex items-center gap-3">
            <OwnerTile name={owner.name} icon={owner.icon} size={32} />
            <span className="min-w-0 flex-1 truncate font-title">{owner.name}</span>
            <span className="text-13 text-text2 tabular-nums">#{owner.id}</span>
            <span className="-mr-2">
              <RowActions row={owner} nameOf={nameOf} menu={menu} />
            </span>
          </div>
        )}
        summary={page && page.total_count <= search.size ? t('count', { count: page.total_count }) : undefined}
        note={t('note')}
      />
      <Suspense>
        {edit !== '' && owners.data && (
          <ModelOwnerDrawer
            key={edit}
            edit={edit}
            owners={owners.data}
            onRemove={setRemoving}
            onClose={() => go({ edit: '' })}
          />
        )}
        {removing && (
          <RemoveModelOwner
            owner={removing}
            onRemoved={() => go({ edit: '' })}
            onClose={() => setRemoving(undefined)}
          />
        )}
      </Suspense>
    </>
  );
}

function useColumns(): readonly Column<ModelOwner>[] {
  const { t } = useTranslation('modelOwner');
  return useMemo(
    () => [
      { id: 'id', head: t('id'), width: 96, align: 'right', sortable: true, cell: ({ id }) => id },
      { id: 'name', head: t('owner'), sortable: true, hideable: false, cell: (owner) => <OwnerName owner={owner} /> },
      { id: 'icon', head: t('icon'), cell: (owner) => <IconSource owner={owner} /> },
    ],
    [t],
  );
}
