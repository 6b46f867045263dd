import { type Redemption, redemptionStatus } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CircleCheck, CircleMinus, Copy, Eye, Pencil, Plus, Ticket, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filtersIn, isFiltered } from '#list/list-filters.ts';
import { rowId, useRecordScreen } from '#list/use-list-screen.ts';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { type RecordActions, useRecordActions } from '#list/record-actions.tsx';
import { Button } from '#ui/basic/button.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { CreatedCodes } from './created-dialog.tsx';
import { allCodes, redemptionPage, refreshCodes, removeCode, restoreCode, setStatus } from './redemption-api.ts';
import { noFilters } from './redemption-defaults.ts';
import { useRedemptionColumns } from './use-redemption-columns.tsx';
import { useRedemptionToolbar } from './use-redemption-toolbar.tsx';
import { useRevealCode } from './use-reveal-code.ts';
import { type RedemptionState, stateOf } from './redemption-state.ts';

const isIn = (state: RedemptionState) => (row: Redemption) => stateOf(row, Date.now() / 1000) === state;

const actions = {
  disable: {
    label: 'disable',
    bulk: 'disableMany',
    running: 'disabling',
    done: 'disabled',
    doneMany: 'disabledMany',
    icon: CircleMinus,
    when: isIn('unredeemed'),
    send: ({ id }) => setStatus(id, redemptionStatus.disabled),
    undo: 'enable',
  },
  enable: {
    label: 'enable',
    bulk: 'enableMany',
    running: 'enabling',
    done: 'enabled',
    doneMany: 'enabledMany',
    icon: CircleCheck,
    when: isIn('disabled'),
    send: ({ id }) => setStatus(id, redemptionStatus.enabled),
    undo: 'disable',
  },
  remove: {
    label: 'remove',
    bulk: 'removeMany',
    running: 'removing',
    done: 'removed',
    doneMany: 'removedMany',
    icon: Trash2,
    danger: true,
    send: ({ id }) => removeCode(id),
    undo: 'restore',
  },
  restore: {
    running: 'restoring',
    done: 'restored',
    doneMany: 'restoredMany',
    send: ({ id }) => restoreCode(id),
    undo: 'remove',
  },
} satisfies RecordActions<Redemption, 'redemption'>;

const RedemptionDrawer = lazy(async () => ({ default: (await import('./redemption-drawer.tsx')).RedemptionDrawer }));
const CreatedDialog = lazy(async () => ({ default: (await import('./created-dialog.tsx')).CreatedDialog }));
const ClearDialog = lazy(async () => ({ default: (await import('./clear-dialog.tsx')).ClearDialog }));

const route = getRouteApi('/panel/redemption');
const nameOf = ({ name, id }: Redemption) => `${name} #${id}`;

export function RedemptionScreen() {
  const { t } = useTranslation('redemption');
  const {
    edit,
    query: search,
    activeKey,
    go,
    find,
    open,
    create: openNew,
    closeForm,
  } = useRecordScreen(route.useSearch(), route.useNavigate());
  const page = useQuery(redemptionPage(search));
  const act = useRecordActions('redemption', actions, { nameOf: ({ name }) => name, refresh: refreshCodes });
  const reveal = useRevealCode();
  const [created, setCreated] = useState<CreatedCodes>();
  const [clearing, setClearing] = useState(false);
  // Redeemed codes are read-only; expired ones get a new expiry in their form. The request shows its own error.
  const menu = (row: Redemption) => [
    {
      label: t('copy'),
      icon: Copy,
      onSelect: () => void copyText(reveal(row.id), t('codeOf', { name: row.name })).catch(() => undefined),
    },
    isIn('redeemed')(row)
      ? { label: t('details'), icon: Eye, onSelect: () => open(row) }
      : { label: t('edit'), icon: Pencil, onSelect: () => open(row) },
    ...act.menu(row),
  ];
  const create = (
    <Button variant="primary" icon={Plus} onClick={openNew}>
      {t('create')}
    </Button>
  );
  const none = page.data?.total_count === 0 && !isFiltered(noFilters, search);
  const buttons = !none && (
    <span className="flex flex-none gap-2">
      <Button onClick={() => setClearing(true)}>{t('clear')}</Button>
      {create}
    </span>
  );
  const toolbar = useToolbarWith(
    useRedemptionToolbar(filtersIn(noFilters, search), find, page.data?.total_count === 0),
    buttons,
  );
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={buttons} />
      <DataTable
        name="redemption"
        label={t('title')}
        columns={useRedemptionColumns()}
        page={page}
        search={search}
        onSearch={go}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={toolbar}
        empty={<EmptyState icon={Ticket} title={t('emptyTitle')} text={t('emptyText')} action={create} />}
        onOpen={open}
        activeKey={activeKey}
        rowMenu={menu}
        bulk={act.bulk}
        allRows={() => allCodes(search)}
      />
      <Suspense>
        {edit !== '' && <RedemptionDrawer key={edit} edit={edit} onCreated={setCreated} onClose={closeForm} />}
        {created && <CreatedDialog created={created} onClose={() => setCreated(undefined)} />}
        {clearing && <ClearDialog onClose={() => setClearing(false)} />}
      </Suspense>
    </>
  );
}
