import type { Redemption } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, Ticket } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/basic/button.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import type { CreatedCodes } from './created-dialog.tsx';
import { everyCode, redemptionPage } from './redemption-api.ts';
import { RedemptionBulk } from './redemption-bulk.tsx';
import { RedemptionCard } from './redemption-card.tsx';
import { redemptionMenu } from './redemption-menu.ts';
import { noFilters, type RedemptionFilter, type RedemptionSearch } from './redemption-defaults.ts';
import { filterOf } from './redemption-search.ts';
import { useRedemptionActions } from './use-redemption-actions.ts';
import { useRedemptionColumns } from './use-redemption-columns.tsx';
import { useRedemptionToolbar } from './use-redemption-toolbar.tsx';
import { useRevealCode } from './use-reveal-code.ts';

const RedemptionDrawer = lazy(async () => ({ default: (await import('./redemption-drawer.tsx')).RedemptionDrawer }));
const CreatedDialog = lazy(async () => ({ default: (await import('./created-dialog.tsx')).CreatedDialog }));
const ClearDialog = lazy(async () => ({ default: (await import('./clear-dialog.tsx')).ClearDialog }));

const route = getRouteApi('/panel/redemption');
const keyOf = ({ id }: Redemption) => id;
const nameOf = ({ name, id }: Redemption) => `${name} #${id}`;

export function RedemptionScreen() {
  const { t } = useTranslation('redemption');
  const { edit, ...search } = route.useSearch();
  const filter = filterOf(search);
  const navigate = route.useNavigate();
  const page = useQuery(redemptionPage(search));
  const act = useRedemptionActions();
  const reveal = useRevealCode();
  const [created, setCreated] = useState<CreatedCodes>();
  const [clearing, setClearing] = useState(false);
  const go = (change: Partial<RedemptionSearch>) => void navigate({ search: { ...search, edit: '', ...change } });
  const menu = (row: Redemption) =>
    redemptionMenu(t, row, {
      // What fails in here is told in a toast by the request itself.
      copy: () => void copyText(reveal(row.id), t('codeOf', { name: row.name })).catch(() => undefined),
      open: () => go({ edit: String(row.id) }),
      enable: () => act('enable', row),
      disable: () => act('disable', row),
      remove: () => act('remove', row),
    });
  const create = (
    <Button variant="primary" icon={Plus} onClick={() => go({ edit: 'new' })}>
      {t('create')}
    </Button>
  );
  const none = page.data?.total_count === 0 && isUnfiltered(filter);
  return (
    <>
      <PageHeader title={t('title')} text={t('text')}>
        {!none && <Button onClick={() => setClearing(true)}>{t('clear')}</Button>}
        {!none && create}
      </PageHeader>
      <DataTable
        name="redemption"
        label={t('title')}
        columns={useRedemptionColumns()}
        page={page}
        search={search}
        onSearch={go}
        keyOf={keyOf}
        nameOf={nameOf}
        toolbar={useRedemptionToolbar(filter, (next) => go({ ...next, page: 1 }), page.data?.total_count === 0)}
        empty={<EmptyState icon={Ticket} title={t('emptyTitle')} text={t('emptyText')} action={create} />}
        onOpen={(row) => go({ edit: String(row.id) })}
        activeKey={Number(edit)}
        rowMenu={menu}
        card={(row) => <RedemptionCard row={row} menu={menu} />}
        bulk={(selection) => <RedemptionBulk selection={selection} act={act} />}
        allRows={() => everyCode(search)}
      />
      <Suspense>
        {edit !== '' && (
          <RedemptionDrawer key={edit} edit={edit} onCreated={setCreated} onClose={() => go({ edit: '' })} />
        )}
        {created && <CreatedDialog created={created} onClose={() => setCreated(undefined)} />}
        {clearing && <ClearDialog onClose={() => setClearing(false)} />}
      </Suspense>
    </>
  );
}

const isUnfiltered = (filter: RedemptionFilter): boolean =>
  Object.entries(noFilters).every(([name, value]) => filter[name as keyof RedemptionFilter] === value); // its own names
