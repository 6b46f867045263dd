import { useId } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { Card } from '#ui/basic/card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';

export function BalanceCard() {
  const { t } = useTranslation('topup');
  const { data: self, error, isFetching, refetch } = useSelf();
  const id = useId();
  if (error && !self)
    return (
      <Card>
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      </Card>
    );
  return (
    <Card aria-labelledby={id} className="px-6 py-5 max-sm:p-4">
      <h2 id={id} className="text-13 font-normal text-text2">
        {t('balance')}
      </h2>
      <div className="h-8.5 text-26 font-medium tracking-[-0.01em]">
        {self ? <Money credits={self.quota} /> : <Skeleton width={140} className="mt-2" />}
      </div>
      <dl className="-mx-6 mt-4 grid grid-cols-[1fr_auto] gap-y-2.5 border-t border-line px-6 pt-3.5 tabular-nums max-sm:-mx-4 max-sm:px-4">
        <dt className="text-text2">{t('used')}</dt>
        <dd className="text-right">{self && <Money credits={self.used_quota} />}</dd>
        <dt className="text-text2">{t('calls')}</dt>
        <dd className="text-right">{self && formatWhole(self.request_count)}</dd>
      </dl>
    </Card>
  );
}
