import type { LogTotals } from '@relay-hub/contract';
import { Fragment } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Money } from '#ui/format/money.tsx';
import { abbreviate, formatPercent, formatWhole } from '#ui/format/number.ts';
import { formatDateTime } from '#ui/format/time.ts';

/** Totals of the found calls in one line. */
export function LogSums({ totals }: { totals: LogTotals }) {
  const { t } = useTranslation('log');
  const { requests, since, prompt_tokens: input, cached_tokens: cached, completion_tokens: output, failures } = totals;
  const { refused = 0 } = totals;
  const facts = [
    ...(since > 0 ? [{ id: 'since', text: t('sumSince', { time: formatDateTime(since) }) }] : []),
    { id: 'calls', text: t('calls', { total: formatWhole(requests) }), strong: true },
    { id: 'input', text: t('sumInput', { tokens: abbreviate(input) }) },
    ...(cached > 0
      ? [{ id: 'cached', text: t('sumCached', { share: formatPercent(cached / Math.max(input, cached), 0) }) }]
      : []),
    { id: 'output', text: t('sumOutput', { tokens: abbreviate(output) }) },
    { id: 'failed', text: t('sumFailed', { share: formatPercent(requests === 0 ? 0 : failures / requests) }) },
    ...(refused > 0 ? [{ id: 'refused', text: t('sumRefused', { total: formatWhole(refused) }) }] : []),
  ];
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {facts.map(({ id, text, strong }) => (
        <Fragment key={id}>
          <span className={cx(strong && 'font-title text-text')}>{text}</span>
          <span aria-hidden className="text-text3">
            ·
          </span>
        </Fragment>
      ))}
      <span className="font-title text-text">
        {t('sum')} <Money credits={totals.quota} />
      </span>
    </span>
  );
}

/** The same on phones: number and cost. */
export function LogSumsShort({ totals }: { totals: LogTotals }) {
  const { t } = useTranslation(['log', 'shared']);
  const total = formatWhole(totals.requests);
  return (
    <span>
      {t('calls', { total: totals.since > 0 ? t('shared:atLeast', { total }) : total })} ·{' '}
      <Money credits={totals.quota} className="font-title text-text" />
    </span>
  );
}
