import type { LedgerTotals } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Money } from '#ui/format/money.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';

interface Props {
  /** Undefined while loading. */
  totals: LedgerTotals | undefined;
  /** The sums cover a chosen period. */
  ofPeriod: boolean;
}

/** One user's balance and its movements: credited − deducted − spent on calls. */
export function LedgerSums({ totals, ofPeriod }: Props) {
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
