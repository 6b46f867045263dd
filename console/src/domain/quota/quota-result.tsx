import type { LedgerTotals } from '@relay-hub/contract';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatSpan } from '#ui/format/time.ts';
import { formatWhole } from '#ui/format/number.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { changeOf, daysLeft, type QuotaAim } from './quota-change.ts';

/** Days over which the spend is averaged. */
export const pastDays = 30;

interface Props {
  totals: LedgerTotals | undefined;
  aim: QuotaAim;
}

/** The balance before and after, and how many days it lasts. */
export function QuotaResult({ totals, aim }: Props) {
  const { t } = useTranslation('quota');
  const change = totals ? changeOf(aim, totals.quota) : 0;
  const after = totals && totals.quota + change;
  return (
    <div>
      <dl className="rounded-card border border-line px-4 py-1.5 tabular-nums">
        <Line name={t('now')}>{totals ? <Money credits={totals.quota} /> : <Skeleton width={72} />}</Line>
        <Line name={t(change < 0 ? 'takenAway' : 'addedTo')}>
          {change === 0 ? (
            <span className="text-text3">–</span>
          ) : (
            <Money credits={change} signed className={change > 0 ? 'text-ok' : 'text-warn'} />
          )}
        </Line>
        <div className="my-1 border-t border-line" />
        <Line name={t('after')} strong>
          {after === undefined ? (
            <Skeleton width={96} />
          ) : (
            <Money credits={after} className={cx('text-18', after < 0 && 'text-bad')} />
          )}
        </Line>
      </dl>
      {totals && after !== undefined && after >= 0 && <Meaning totals={totals} after={after} />}
    </div>
  );
}

function Line({ name, strong = false, children }: { name: string; strong?: boolean; children: ReactNode }) {
  return (
    <div className={cx('flex items-center justify-between gap-4', strong ? 'h-10 font-title' : 'h-8')}>
      <dt className={cx('text-13', !strong && 'text-text2')}>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Meaning({ totals, after }: { totals: LedgerTotals; after: number }) {
  const { t, i18n } = useTranslation('quota');
  const { quota: now, held, spent } = totals;
  const aDay = spent / pastDays;
  const [before, lasts] = [now, after].map((balance) => daysLeft(balance, aDay));
  const language = i18n.language.replace('_', '-');
  const [span, spanBefore] = [lasts, before].map((days) => formatSpan(days ?? 0, language));
  const reserved = <TextWithElements text={t('reserved')} parts={{ amount: <Money credits={held} /> }} />;
  const pace = (
    <TextWithElements
      text={t('pace', { days: pastDays })}
      parts={{ spent: <Money credits={spent} />, aDay: <Money credits={Math.round(aDay)} /> }}
    />
  );
  const sentences = [
    t('inCredits', { credits: formatWhole(after) }),
    held > 0 && reserved,
    spent > 0 && pace,
    lasts !== undefined &&
      (span === spanBefore || before === undefined
        ? t('lasts', { span })
        : t('lastsInstead', { span, before: spanBefore })),
  ].filter((sentence) => sentence !== false);
  return (
    <p className="mt-2 text-12 text-text2 tabular-nums">
      {sentences.map((sentence, index) => (
        <Fragment key={index}>
          {index > 0 && ' '}
          {sentence}
        </Fragment>
      ))}
    </p>
  );
}
