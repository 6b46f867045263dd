import { type Redemption, redemptionStatus } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CircleCheck, CircleMinus, Copy, Eye, Pencil, Plus, Ticket, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filtersIn, isFiltered } from '#list/list-filters.ts';
import { rowId, useRecordScreen } from '#list/use-list-screen.ts';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { Button } from '#ui/basic/button.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { Translate } from '#i18n/t.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { BulkAction } from '#ui/table/bulk-bar.tsx';
import type { Selection } from '#ui/table/use-selection.ts';
import { useNow } from '#ui/format/use-now.ts';
import { type Outcome, runSequentially } from '#domain/save/run-sequentially.ts';
import { toast } from '#ui/feedback/toast.ts';
import type { CreatedCodes } from './created-dialog.tsx';
import { allCodes, redemptionPage, refreshCodes, removeCode, restoreCode, setStatus } from './redemption-api.ts';
import { noFilters } from './redemption-defaults.ts';
import { useRedemptionColumns } from './use-redemption-columns.tsx';
import { useRedemptionToolbar } from './use-redemption-toolbar.tsx';
import { useRevealCode } from './use-reveal-code.ts';
import { stateOf } from './redemption-state.ts';

/** The actions on codes, each with its toast texts and its inverse. */
const acts = {
  enable: {
    send: (id: number) => setStatus(id, redemptionStatus.enabled),
    texts: ['enabling', 'enabled', 'enabledMany'],
    back: 'disable',
  },
  disable: {
    send: (id: number) => setStatus(id, redemptionStatus.disabled),
    texts: ['disabling', 'disabled', 'disabledMany'],
    back: 'enable',
  },
  remove: { send: removeCode, texts: ['removing', 'removed', 'removedMany'], back: 'restore' },
  restore: { send: restoreCode, texts: ['restoring', 'restored', 'restoredMany'], back: 'remove' },
} as const;

interface Act {
  act: keyof typeof acts;
  rows: readonly Redemption[];
  isUndo?: boolean;
}

/** Enables, disables, deletes and restores codes, with toasts and Undo. */
function useRedemptionActions() {
  const { t } = useTranslation('redemption');
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ act, rows }: Act) => runSequentially(t(acts[act].texts[0]), rows, ({ id }) => acts[act].send(id)),
    onSuccess: (outcome, { act, isUndo }) => toastOutcome(outcome, act, isUndo),
    onSettled: () => refreshCodes(client),
  });

  function toastOutcome(
    { done, failed: [first, ...others] }: Outcome<Redemption>,
    act: keyof typeof acts,
    isUndo = false,
  ) {
    const [, one, many] = acts[act].texts;
    const text = t(done.length === 1 ? one : many, { count: done.length, name: done[0]?.name });
    const back = () => mutate({ act: acts[act].back, rows: done, isUndo: true });
    if (done.length > 0 && !isUndo) toast.undo(text, { label: t('undo'), onClick: back });
    else if (done.length > 0) toast.success(text);
    if (!first) return;
    const why = { count: others.length + 1, name: first.item.name, reason: first.error.message };
    toast.error(t(others.length === 0 ? 'notDone' : 'notDoneMany', why));
  }

  return (act: 'enable' | 'disable' | 'remove', ...rows: readonly Redemption[]) => mutate({ act, rows });
}

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
  const act = useRedemptionActions();
  const reveal = useRevealCode();
  const [created, setCreated] = useState<CreatedCodes>();
  const [clearing, setClearing] = useState(false);
  const menu = (row: Redemption) =>
    redemptionMenu(t, row, {
      // The request shows its own error.
      copy: () => void copyText(reveal(row.id), t('codeOf', { name: row.name })).catch(() => undefined),
      open: () => open(row),
      enable: () => act('enable', row),
      disable: () => act('disable', row),
      remove: () => act('remove', row),
    });
  const create = (
    <Button variant="primary" icon={Plus} onClick={openNew}>
      {t('create')}
    </Button>
  );
  const none = page.data?.total_count === 0 && !isFiltered(noFilters, search);
  const actions = !none && (
    <span className="flex flex-none gap-2">
      <Button onClick={() => setClearing(true)}>{t('clear')}</Button>
      {create}
    </span>
  );
  const toolbar = useToolbarWith(
    useRedemptionToolbar(filtersIn(noFilters, search), find, page.data?.total_count === 0),
    actions,
  );
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={actions} />
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
        bulk={(selection) => <RedemptionBulk selection={selection} act={act} />}
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

type Actions = Record<'copy' | 'open' | 'enable' | 'disable' | 'remove', () => void>;

/** The menu of a row. Redeemed codes are read-only; expired ones get a new expiry in their form. */
function redemptionMenu(t: Translate<'redemption'>, row: Redemption, actions: Actions): MenuEntries {
  const state = stateOf(row, Date.now() / 1000);
  return [
    { label: t('copy'), icon: Copy, onSelect: actions.copy },
    state === 'redeemed'
      ? { label: t('details'), icon: Eye, onSelect: actions.open }
      : { label: t('edit'), icon: Pencil, onSelect: actions.open },
    state === 'unredeemed' && { label: t('disable'), icon: CircleMinus, saves: true, onSelect: actions.disable },
    state === 'disabled' && { label: t('enable'), icon: CircleCheck, saves: true, onSelect: actions.enable },
    'line',
    { label: t('remove'), icon: Trash2, danger: true, onSelect: actions.remove },
  ];
}

interface Props {
  selection: Selection<Redemption>;
  act: ReturnType<typeof useRedemptionActions>;
}

function RedemptionBulk({ selection: { rows, clear }, act }: Props) {
  const { t } = useTranslation('redemption');
  const now = useNow(30);
  const disabled = rows.filter((row) => stateOf(row, now) === 'disabled');
  const open = rows.filter((row) => stateOf(row, now) === 'unredeemed');
  const run = (...what: Parameters<typeof act>) => {
    act(...what);
    clear();
  };
  return (
    <>
      {disabled.length > 0 && (
        <BulkAction icon={CircleCheck} onClick={() => run('enable', ...disabled)}>
          {t('enableMany', { count: disabled.length })}
        </BulkAction>
      )}
      {open.length > 0 && (
        <BulkAction icon={CircleMinus} onClick={() => run('disable', ...open)}>
          {t('disableMany', { count: open.length })}
        </BulkAction>
      )}
      <BulkAction icon={Trash2} danger onClick={() => run('remove', ...rows)}>
        {t('removeMany', { count: rows.length })}
      </BulkAction>
    </>
  );
}
