import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronLeft, Printer } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { receiptQuery } from './receipt-api.ts';
import { ReceiptSheet } from './receipt-sheet.tsx';

const route = getRouteApi('/panel/topup/receipt');

/** A receipt as a sheet of paper; only the sheet is printed. */
export function ReceiptScreen() {
  const { t } = useTranslation('receipt');
  const search = route.useSearch();
  const { data, error, isFetching, refetch } = useQuery(receiptQuery(search));
  return (
    <>
      <div className="print:hidden">
        <PageHeader title={t('title')} text={t('text')}>
          {search.id === 0 && (
            <Button icon={ChevronLeft} render={<Link to="/panel/topup" />}>
              {t('back')}
            </Button>
          )}
          <Button variant="primary" icon={Printer} saves={false} disabled={!data} onClick={() => print()}>
            {t('print')}
          </Button>
        </PageHeader>
      </div>
      {data ? (
        <ReceiptSheet receipt={data} />
      ) : (
        error && (
          <Card>
            <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
          </Card>
        )
      )}
    </>
  );
}
