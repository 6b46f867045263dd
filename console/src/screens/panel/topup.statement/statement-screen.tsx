import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download, Printer } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Field } from '#ui/form/field.tsx';
import { presentMonth, statementFile, statementQuery } from './statement-api.ts';
import { StatementSheet } from './statement-sheet.tsx';

const route = getRouteApi('/panel/topup/statement');

/** The statement of a month as a sheet of paper; only the sheet is printed. */
export function StatementScreen() {
  const { t } = useTranslation('statement');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isFetching, refetch } = useQuery(statementQuery(search));
  return (
    <>
      <div className="print:hidden">
        <PageHeader title={t('title')} text={t('text')}>
          <Button icon={Download} render={<a href={statementFile(search)} download />}>
            {t('download')}
          </Button>
          <Button variant="primary" icon={Printer} saves={false} disabled={!data} onClick={() => print()}>
            {t('print')}
          </Button>
        </PageHeader>
        <Field label={t('month')} className="mx-auto mb-4 max-w-180">
          {(aria) => (
            <input
              {...aria}
              type="month"
              className="box max-w-50"
              max={presentMonth()}
              value={search.month || presentMonth()}
              onChange={({ target: { value } }) =>
                value !== '' && void navigate({ search: { ...search, month: value }, replace: true })
              }
            />
          )}
        </Field>
      </div>
      {data ? (
        <StatementSheet statement={data} />
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
