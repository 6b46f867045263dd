import { useSelf } from '#api/self.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card } from '#ui/basic/card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { BalanceFigure } from './balance-figure.tsx';

/** The balance with the account's total usage. */
export function BalanceCard() {
  const { t } = useTranslation('topup');
  const { data: self, error, isFetching, refetch } = useSelf();
  if (error && !self)
    return (
      <Card>
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      </Card>
    );
  return (
    <Card className="px-6 py-5 max-sm:p-4">
      <BalanceFigure />
      <dl className="-mx-6 mt-4 grid grid-cols-[1fr_auto] gap-y-2.5 border-t border-line px-6 pt-3.5 tabular-nums max-sm:-mx-4 max-sm:px-4">
        <dt className="text-text2">{t('used')}</dt>
        <dd className="text-right">{self && <Money credits={self.used_quota} />}</dd>
        <dt className="text-text2">{t('calls')}</dt>
        <dd className="text-right">{self && formatWhole(self.request_count)}</dd>
      </dl>
    </Card>
  );
}
