import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileText, ScrollText, Wallet } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import type { LedgerTotals } from '@relay-hub/contract';
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
import { cx } from '#ui/basic/cx.ts';
import { Money } from '#ui/format/money.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { downloadAddress, ledgerPage, type LedgerPage, ledgerTotals } from './ledger-api.ts';
import { readerOf, whoseOf } from './ledger-search.ts';
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

interface Props {
  /** Undefined while loading. */
  totals: LedgerTotals | undefined;
  /** The sums cover a chosen period. */
  ofPeriod: boolean;
}

/** One user's balance and its movements: credited − deducted − spent on calls. */
function LedgerSums({ totals, ofPeriod }: Props) {
  const { t } = useTranslation('ledger');
  const name = (key: 'added' | 'removed' | 'spent') => (ofPeriod ? t('inPeriod', { name: t(key) }) : t(key));
  const amount = (credits: number | undefined, look?: { signed?: boolean; className?: string }) =>
    credits === undefined ? <Skeleton width={72} /> : <Money credits={credits} {...look} />;
  return (
    <dl
      aria-label={t('balance')}
      className="mb-3 flex flex-wrap gap-x-10 gap-y-2 rounded-card border border-line bg-card px-4 py-3 max-sm:mb-2 max-sm:gap-x-6 max-sm:py-2"
    >
      <Sum name={t('balance')} strong>
        {amount(totals?.quota)}
      </Sum>
      {(totals?.held ?? 0) > 0 && <Sum name={t('reserved')}>{amount(totals?.held)}</Sum>}
      <Sum name={name('added')}>
        {amount(totals?.added, { signed: true, ...((totals?.added ?? 0) > 0 && { className: 'text-ok' }) })}
      </Sum>
      {(totals?.removed ?? 0) > 0 && (
        <Sum name={name('removed')}>{amount(totals && -totals.removed, { signed: true })}</Sum>
      )}
      <Sum name={name('spent')}>{amount(totals && (-totals.spent || 0), { signed: true })}</Sum>
      {ofPeriod && <Sum name={t('used')}>{amount(totals?.used_quota)}</Sum>}
    </dl>
  );
}

function Sum({ name, strong = false, children }: { name: string; strong?: boolean; children: ReactNode }) {
  return (
    <div>
      <dt className="text-12 text-text2">{name}</dt>
      <dd className={cx('mt-0.5 text-16 max-sm:text-15', strong && 'font-title')}>{children}</dd>
    </div>
  );
}
