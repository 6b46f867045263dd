import type { OrderCurrency, Reconciliation } from '@relay-hub/contract';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Card } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { formatDate } from '#ui/format/time.ts';
import { DifferenceList } from './difference-list.tsx';

/** Whether the orders agree with the statement, in one line, then the sums and each difference. */
export function ReconciliationResult({ result }: { result: Reconciliation }) {
  const { t } = useTranslation('reconciliation');
  const { differences, currency, here_minor: here, there_minor: there, unreadable } = result;
  const agrees = differences.length === 0;
  const isEmpty = agrees && result.matched === 0;
  return (
    <>
      <Card aria-labelledby="reconciliation-result" className="p-4">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
          <span
            className={cx(
              'grid size-11 flex-none place-items-center rounded-full',
              agrees ? 'bg-ok-soft text-ok' : 'bg-bad-soft text-bad',
            )}
          >
            <Icon of={agrees ? CircleCheck : TriangleAlert} size={18} className="size-6!" />
          </span>
          <div role="status" className="min-w-0 flex-1 basis-60">
            <h2 id="reconciliation-result" className={cx('text-20', agrees ? 'text-ok' : 'text-bad')}>
              {isEmpty ? t('nothing') : agrees ? t('agrees') : t('differs', { count: differences.length })}
            </h2>
            <p className="text-13 text-text2">
              {isEmpty ? t('nothingText') : t(agrees ? 'agreesText' : 'differsText', { count: result.matched })}
            </p>
          </div>
          <p className="text-13 text-text2 tabular-nums">
            {formatDate(result.from)} – {formatDate(result.to)}
          </p>
        </div>
        <dl className="mt-4 grid grid-cols-4 gap-x-6 gap-y-3 border-t border-line pt-3 max-sm:grid-cols-2">
          <Fact name={t('matched')}>{formatWhole(result.matched)}</Fact>
          <Fact name={t('rows')}>{formatWhole(result.rows)}</Fact>
          <Fact name={t('here')}>{formatMinor(here, currency)}</Fact>
          <Fact name={t('there')}>
            {formatMinor(there, currency)} <Gap minor={there - here} currency={currency} />
          </Fact>
        </dl>
      </Card>
      {unreadable.length > 0 && <Unreadable lines={unreadable} />}
      {differences.length > 0 && <DifferenceList result={result} />}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-12 text-text2">{name}</dt>
      <dd className="mt-0.5 text-16 tabular-nums">{children}</dd>
    </div>
  );
}

function Gap({ minor, currency }: { minor: number; currency: OrderCurrency }) {
  if (minor === 0) return null;
  return (
    <span className="text-13 text-bad">
      {minor > 0 ? '+' : ''}
      {formatMinor(minor, currency)}
    </span>
  );
}

const mostLines = 5;

function Unreadable({ lines }: { lines: Reconciliation['unreadable'] }) {
  const { t } = useTranslation('reconciliation');
  const rest = lines.length - mostLines;
  return (
    <Note tone="warn">
      <p>{t('unreadable', { count: lines.length })}</p>
      <ul className="mt-1 text-12">
        {lines.slice(0, mostLines).map(({ line, problem }) => (
          <li key={line}>{t('unreadableLine', { line, problem })}</li>
        ))}
        {rest > 0 && <li>{t('moreLines', { count: rest })}</li>}
      </ul>
    </Note>
  );
}
