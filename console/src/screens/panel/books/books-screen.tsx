import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Scale } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { booksState, signedDate, useCompareBooks, type BooksState } from './books-api.ts';
import { BooksChecks } from './books-checks.tsx';
import { BooksResult } from './books-result.tsx';
import { BooksShortfalls } from './books-shortfalls.tsx';

const BillCard = lazy(() => import('./bill-card.tsx'));
const KeptBillsCard = lazy(() => import('./kept-bills-card.tsx'));
const WhatIfCard = lazy(() => import('./what-if-card.tsx'));

/** Reconciliation: whether every credit is accounted for. */
export function BooksScreen() {
  const { t } = useTranslation('books');
  const { data: state, error, isFetching, refetch } = useQuery(booksState);
  const compare = useCompareBooks();
  const running = compare.isPending || Boolean(state?.running);
  return (
    <>
      <PageHeader title={t('title')} text={t('text')}>
        {state?.report && state.report.signed.until > 0 && (
          <Button disabled={running} onClick={() => compare.mutate(true)}>
            {t('runFull')}
          </Button>
        )}
        <Button variant="primary" icon={Scale} busy={running} onClick={() => compare.mutate(false)}>
          {t(running ? 'running' : 'run')}
        </Button>
      </PageHeader>
      {error && !state ? (
        <Card>
          <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
        </Card>
      ) : (
        <div className="grid grid-cols-1 gap-4 max-sm:gap-2">
          {state?.running && <Running at={state.running} />}
          {state && state.failed !== '' && !state.running && (
            <Note tone="bad" live>
              {t('failed', { reason: state.failed })}
            </Note>
          )}
          <Report state={state} />
          <Suspense>
            <BillCard />
            <KeptBillsCard />
            <WhatIfCard />
          </Suspense>
        </div>
      )}
    </>
  );
}

function Running({ at: { check, done, of, until } }: { at: NonNullable<BooksState['running']> }) {
  const { t } = useTranslation('books');
  const step = t('of', { step: done + 1, total: of });
  return (
    <Card className="px-4 py-3.5">
      <div role="status" className="mb-2.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-13">
        <span className="font-title">
          {until > 0 ? t('signing', { date: signedDate(until) }) : t('progress', { check: t(`checks.${check}`) })}
        </span>
        <span className="text-text2 tabular-nums">{step}</span>
        <span className="text-text2 sm:ml-auto">{t('survives')}</span>
      </div>
      <ProgressBar value={done} max={of} label={t('running')} text={step} />
    </Card>
  );
}

function Report({ state }: { state: BooksState | undefined }) {
  const { t } = useTranslation('books');
  if (!state)
    return (
      <Card className="grid h-32 content-center gap-4 px-4">
        <Skeleton width="40%" />
        <Skeleton width="70%" />
      </Card>
    );
  if (state.report)
    return (
      <>
        <BooksResult report={state.report} />
        <BooksShortfalls report={state.report} />
        <BooksChecks report={state.report} />
      </>
    );
  if (state.running) return null;
  return (
    <Card>
      <EmptyState icon={Scale} title={t('empty')} text={t('emptyText')} />
    </Card>
  );
}
