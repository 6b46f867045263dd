import type { BooksReport } from '@relay-hub/contract';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatSeconds, formatWhole } from '#ui/format/number.ts';
import { Time } from '#ui/format/time.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { signedDate } from './books-api.ts';

/** The result in one word, with its time and scope. */
export function BooksResult({ report }: { report: BooksReport }) {
  const { t } = useTranslation('books');
  const {
    balanced,
    checks,
    started_time: started,
    took,
    users,
    entries,
    rows,
    open_calls: open,
    signed,
    full,
  } = report;
  const differing = checks.reduce((sum, each) => sum + each.differing, 0);
  return (
    <Card aria-labelledby="books-result" className="px-4 py-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <span
          className={cx(
            'grid size-11 flex-none place-items-center rounded-full',
            balanced ? 'bg-ok-soft text-ok' : 'bg-bad-soft text-bad',
          )}
        >
          <Icon of={balanced ? CircleCheck : TriangleAlert} size={18} className="size-6!" />
        </span>
        <div aria-live="polite" className="min-w-0 flex-1 basis-60">
          <h2 id="books-result" className={cx('text-20', balanced ? 'text-ok' : 'text-bad')}>
            {balanced ? t('balanced') : t('unbalanced', { count: differing, total: formatWhole(differing) })}
          </h2>
          <p className="text-13 text-text2">{t(balanced ? 'balancedText' : 'unbalancedText')}</p>
          {signed.until > 0 && (
            <p className="text-13 text-text2">
              {t(full ? 'signedFull' : 'signed', {
                date: signedDate(signed.until),
                entries: formatWhole(signed.entries),
                rows: formatWhole(signed.rows),
              })}
            </p>
          )}
        </div>
        <p className="text-13 text-text2 tabular-nums">
          <Time at={started} /> · {t('took', { time: formatSeconds(took) })}
        </p>
      </div>
      <dl className="mt-4 flex flex-wrap gap-x-10 gap-y-3 border-t border-line pt-3 max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4">
        <Fact name={t('users')}>{formatWhole(users)}</Fact>
        <Fact name={t('entries')}>{formatWhole(entries)}</Fact>
        <Fact name={t('rows')}>{formatWhole(rows)}</Fact>
        <Fact name={t('openCalls')}>{formatWhole(open)}</Fact>
        <Fact name={t('held')}>
          <Money credits={report.held} />
        </Fact>
        <Fact name={t('shortfall')} hint={t('shortfallHint')}>
          <Money credits={report.shortfall} />
        </Fact>
      </dl>
    </Card>
  );
}

function Fact({ name, hint, children }: { name: string; hint?: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-12 text-text2">
        {hint ? (
          <Tooltip text={hint}>
            <span tabIndex={0} className="rounded-tile underline decoration-dotted underline-offset-3">
              {name}
            </span>
          </Tooltip>
        ) : (
          name
        )}
      </dt>
      <dd className="mt-0.5 text-16 tabular-nums max-sm:text-15">{children}</dd>
    </div>
  );
}
