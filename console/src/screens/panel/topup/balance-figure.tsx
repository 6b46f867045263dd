import { useQuery } from '@tanstack/react-query';
import { useId, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { daysLeft } from '#domain/quota/days-left.ts';
import { Lasts } from '#domain/quota/lasts.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Money } from '#ui/format/money.tsx';
import { usageQuery } from './topup-api.ts';

/** The balance, and how long it lasts at the spending of the last days. */
export function BalanceFigure() {
  const { t } = useTranslation('topup');
  const { data: self } = useSelf();
  const lasts = useLasts();
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="text-13 font-normal text-text2">
        {t('balance')}
      </h2>
      <div className="flex h-8.5 items-baseline justify-between gap-3">
        <span className="text-26 font-medium tracking-[-0.01em]">
          {self ? <Money credits={self.quota} /> : <Skeleton width={140} />}
        </span>
        {lasts && <span className="text-12 text-text2 tabular-nums">{lasts}</span>}
      </div>
    </section>
  );
}

/** The same in one line. */
export function BalanceLine() {
  const { t } = useTranslation('topup');
  const { data: self } = useSelf();
  const lasts = useLasts();
  return (
    <p className="flex h-5 items-baseline gap-2 text-text2">
      {t('balance')} {self && <Money credits={self.quota} className="font-title text-text" />}
      {lasts && <span className="ml-auto text-12 tabular-nums">{lasts}</span>}
    </p>
  );
}

/** A forecast of years is meaningless. */
const mostDays = 1000;

function useLasts(): ReactNode {
  const { t } = useTranslation('topup');
  const { data: self } = useSelf();
  const { data: usage } = useQuery(usageQuery);
  const left =
    self &&
    usage &&
    daysLeft(
      self.quota,
      usage.days.map(({ total }) => total.quota),
    );
  if (left === undefined || left >= mostDays) return undefined;
  return <Lasts days={left} text={(span) => t('lasts', { span })} />;
}
