import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileText, ScrollText, Wallet } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import { useSession } from '#api/session.ts';
import { preloadOn } from '#list/preload-on.ts';
import { rowId, useListScreen } from '#list/use-list-screen.ts';
import { ExportLink } from '#list/export-link.tsx';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { Button } from '#ui/basic/button.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { outranks } from '#domain/quota/outranks.ts';
import { formatDateTime } from '#ui/format/time.ts';
import { downloadAddress, ledgerPage, ledgerTotals, type LedgerPage } from './ledger-api.ts';
import { readerOf, whoseOf } from './ledger-search.ts';
import { LedgerSums } from './ledger-sums.tsx';
import { useLedgerColumns } from './use-ledger-columns.tsx';
import { useLedgerToolbar } from './use-ledger-toolbar.tsx';

const loadDrawer = () => import('#domain/quota/quota-drawer.tsx');
const QuotaDrawer = lazy(async () => ({ default: (await loadDrawer()).QuotaDrawer }));

const route = getRouteApi('/panel/ledger');

export function LedgerScreen() {
  const { t } = useTranslation('ledger');
  const { user: me, isAdmin: admin } = useSession();
  const reader = readerOf(me, admin);
  const { search: address, go, find } = useListScreen(route.useSearch(), route.useNavigate());
  const { adjust, ...search } = address;
  const isOne = whoseOf(search, reader) !== '';

  const page = useQuery({ ...ledgerPage({ ...search, adjust: false }, reader), placeholderData: keepPreviousData });
  const sums = useQuery({ ...ledgerTotals(search, reader), enabled: isOne });
  const totals = isOne ? sums.data : undefined;
  const isNobody = isOne && sums.error instanceof ApiError && sums.error.status === 404;
  const may = admin && totals !== undefined && outranks(me, totals);
  const actions = (
    <span className="flex flex-none gap-2">
      {isOne && (
        <Button
          icon={FileText}
          render={<Link to="/panel/topup/statement" search={{ month: '', username: admin ? search.username : '' }} />}
        >
          {t('statement')}
        </Button>
      )}
      <ExportLink label={t('download')} href={downloadAddress(search, reader)} />
      {may && (
        <Button variant="primary" icon={Wallet} {...preloadOn(loadDrawer)} onClick={() => go({ adjust: true })}>
          {t('adjust')}
        </Button>
      )}
    </span>
  );
  const toolbar = useToolbarWith(useLedgerToolbar(search, reader, find), actions);
  return (
    <>
      <ListHeader title={t('title')} text={t(admin ? 'textAdmin' : 'text')} actions={actions} />
      {isNobody && (
        <div className="mb-3">
          <Note live>{t('noUser', { name: search.username })}</Note>
        </div>
      )}
      {isOne && !sums.isError && <LedgerSums totals={totals} ofPeriod={search.time !== ''} />}
      <DataTable
        name="ledger"
        label={t('title')}
        density="compact"
        columns={useLedgerColumns(admin, !isOne)}
        page={page}
        search={search}
        onSearch={go}
        keyOf={rowId}
        nameOf={(row) => t('rowName', { time: formatDateTime(row.created_time), kind: t(`kinds.${row.kind}`) })}
        toolbar={toolbar}
        empty={
          <EmptyState
            icon={ScrollText}
            title={t('empty')}
            text={t('emptyText')}
            action={<Button render={<Link to="/panel/topup" />}>{t('emptyAction')}</Button>}
          />
        }
        summary={useRange(page.data)}
      />
      {adjust && may && (
        <Suspense>
          <QuotaDrawer user={{ id: totals.user_id, username: totals.username }} onClose={() => go({ adjust: false })} />
        </Suspense>
      )}
    </>
  );
}

/** The range of rows on the page, if more exist than were counted. */
function useRange(page: LedgerPage | undefined): string | undefined {
  const { t } = useTranslation('ledger');
  if (!page?.more) return undefined;
  const before = (page.page - 1) * page.size;
  const [from, to, total] = [before + 1, before + page.data.length, page.total_count].map(formatWhole);
  return t('rangeMore', { from, to, total });
}
