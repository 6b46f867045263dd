import type { Block } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Pencil, ShieldBan, Undo2 } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { CreateButton } from '#list/create-button.tsx';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { rowId, useRecordScreen } from '#list/use-list-screen.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Time } from '#ui/format/time.tsx';
import { useNow } from '#ui/format/use-now.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { blockPage } from './block-api.ts';
import { useBlockActions } from './use-block-actions.ts';

const loadDrawer = () => import('./block-drawer.tsx');
const BlockDrawer = lazy(async () => ({ default: (await loadDrawer()).BlockDrawer }));

const route = getRouteApi('/panel/block');
const nameOf = ({ network }: Block) => network;

/** Addresses and networks whose requests are refused. */
export function BlockScreen() {
  const { t } = useTranslation('block');
  const {
    edit,
    query: { network, reason, ...query },
    activeKey,
    go,
    find,
    open,
    create,
  } = useRecordScreen(route.useSearch(), route.useNavigate());
  const page = useQuery(blockPage(query));
  const { remove } = useBlockActions();
  const menu = (block: Block): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => open(block) },
    { label: t('unblock'), icon: Undo2, onSelect: () => remove(block) },
  ];
  const add = <CreateButton label={t('add')} preload={loadDrawer} onCreate={create} />;
  const toolbar = {
    search: { value: query.keyword, placeholder: t('search'), onChange: (keyword: string) => find({ keyword }) },
  };
  const total = page.data?.total_count ?? 0;
  const empty = <EmptyState icon={ShieldBan} title={t('emptyTitle')} text={t('emptyText')} action={add} />;
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={add} />
      <DataTable
        name="block"
        label={t('title')}
        columns={useColumns()}
        page={page}
        search={query}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={useToolbarWith(toolbar, add)}
        empty={empty}
        onOpen={open}
        activeKey={activeKey}
        rowMenu={menu}
        summary={total <= query.size ? t('count', { count: total }) : undefined}
      />
      <Suspense>
        {edit !== '' && (
          <BlockDrawer
            key={edit}
            edit={edit}
            start={{ network, reason }}
            onClose={() => go({ edit: '', network: '', reason: '' })}
          />
        )}
      </Suspense>
    </>
  );
}

function useColumns(): readonly Column<Block>[] {
  const { t } = useTranslation('block');
  return useMemo(
    () => [
      {
        id: 'network',
        head: t('network'),
        width: 240,
        sortable: true,
        hideable: false,
        phone: 'title',
        cell: ({ network }) => <span className="font-mono text-12">{network}</span>,
      },
      {
        id: 'reason',
        head: t('reason'),
        phone: 'line',
        cell: ({ reason }) => <span className="block truncate">{reason}</span>,
      },
      {
        id: 'expired_time',
        head: t('end'),
        width: 180,
        sortable: true,
        phone: 'aside',
        cell: ({ expired_time: end }) => <End at={end} />,
      },
      {
        id: 'created_by',
        head: t('by'),
        width: 220,
        phone: 'line',
        cell: ({ created_by: name, created_time: at }) => (
          <span className="block truncate text-text2">
            {name} · <Time at={at} as="relative" />
          </span>
        ),
      },
    ],
    [t],
  );
}

function End({ at }: { at: number }) {
  const { t } = useTranslation('block');
  const now = useNow(30);
  if (at === -1) return <span className="text-text2">{t('never')}</span>;
  if (at <= now) return <span className="text-text2">{t('ended')}</span>;
  return <Time at={at} />;
}
