import type { Redemption } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, Ticket } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filtersIn, isFiltered } from '#list/list-filters.ts';
import { rowId, useRecordScreen } from '#list/use-list-screen.ts';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { Button } from '#ui/basic/button.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { CreatedCodes } from './created-dialog.tsx';
import { allCodes, redemptionPage } from './redemption-api.ts';
import { RedemptionBulk } from './redemption-bulk.tsx';
import { redemptionMenu } from './redemption-menu.ts';
import { noFilters } from './redemption-defaults.ts';
import { useRedemptionActions } from './use-redemption-actions.ts';
import { useRedemptionColumns } from './use-redemption-columns.tsx';
import { useRedemptionToolbar } from './use-redemption-toolbar.tsx';
import { useRevealCode } from './use-reveal-code.ts';

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
