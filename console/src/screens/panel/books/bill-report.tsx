import type { BillReport as Report, ComparedLine } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Note } from '#ui/feedback/note.tsx';
import { formatDollars } from '#ui/format/money.ts';
import { formatWhole, minus } from '#ui/format/number.ts';
import { customRange } from '#ui/table/filter.ts';

const shownLines = 50;

/** Dollars with their sign; null: unknown. */
export const money = (dollars: number | null): string =>
  dollars === null ? '–' : (dollars < 0 ? minus : '') + formatDollars(Math.abs(dollars));
const head = 'h-8 border-b border-line bg-sunk px-3 max-sm:px-2 text-12 font-normal text-text2 whitespace-nowrap';
const cell = 'border-b border-line px-3 py-2 tabular-nums whitespace-nowrap align-top max-sm:px-2';

/** Differences of a bill by line, with their causes. `channel`: the only one of the bill, or 0. */
export function BillReport({ report, channel }: { report: Report; channel: number }) {
  const { t } = useTranslation('bill');
  const [all, setAll] = useState(false);
  const differing = report.lines.filter(({ cause }) => cause !== 'none');
  const shown = (all ? report.lines : differing).slice(0, shownLines);
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="text-13 tabular-nums">
        {t('sums', {
          from: report.from,
          to: report.to,
          bill: money(report.bill),
          ours: money(report.ours),
          difference: money(report.bill - report.ours),
        })}
      </p>
      <ul className="flex flex-wrap gap-x-5 gap-y-1 text-13 text-text2 tabular-nums">
        {report.causes.map(({ cause, lines, difference }) => (
          <li key={cause}>
            {t('causeSum', { cause: t(`causes.${cause}`), lines: formatWhole(lines), difference: money(difference) })}
          </li>
        ))}
      </ul>
      {shown.length === 0 ? (
        <Note>{t('equal')}</Note>
      ) : (
        <div
          role="group"
          aria-label={t('title')}
          tabIndex={0}
          className="overflow-x-auto rounded-card border border-line"
        >
          <table className="w-full border-separate border-spacing-0 text-13 [&_tr:last-child>*]:border-b-0">
            <thead>
              <tr>
                {(['date', 'model', 'bill', 'ours', 'difference', 'cause'] as const).map((name, at) => (
                  <th
                    key={name}
                    scope="col"
                    className={cx(head, at > 1 && at < 5 ? 'text-right' : 'text-left', at === 0 && 'max-sm:hidden')}
                  >
                    {t(`heads.${name}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((line) => (
                <Row key={`${line.date} ${line.model}`} line={line} channel={channel} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-3 text-12 text-text3">
        {report.line_count > differing.length && (
          <Button size="sm" variant="ghost" onClick={() => setAll((now) => !now)}>
            {t(all ? 'onlyDiffering' : 'showAll')}
          </Button>
        )}
        {(all ? report.line_count : differing.length) > shown.length && t('first', { shown: shown.length })}
      </div>
    </div>
  );
}

function Row({ line, channel }: { line: ComparedLine; channel: number }) {
  const { t } = useTranslation('bill');
  const { date, model, models, bill, ours, difference, cause, factor } = line;
  const requests = (of: number | null) => (of === null ? '' : t('requests', { total: formatWhole(of) }));
  return (
    <tr>
      <td className={`${cell} max-sm:hidden`}>{date}</td>
      <th scope="row" className={`${cell} text-left font-normal`}>
        {models.length === 0 ? (
          model
        ) : (
          <Link
            to="/panel/log"
            search={{
              model_name: models[0] ?? '',
              log_type: 2,
              time: customRange(date, date),
              ...(channel > 0 && { channel_id: channel }),
            }}
            className="text-accent hover:underline"
            aria-label={t('openRows', { model, date })}
          >
            {model}
          </Link>
        )}
        <span className="block text-12 text-text3 sm:hidden">{date}</span>
      </th>
      <td className={`${cell} text-right`}>
        {money(bill.cost)}
        <span className="block text-12 text-text3">{requests(bill.requests)}</span>
      </td>
      <td className={`${cell} text-right`}>
        {money(ours.cost)}
        <span className="block text-12 text-text3">{requests(ours.requests)}</span>
      </td>
      <td className={cx(cell, 'text-right', cause !== 'none' && cause !== 'rounding' && 'font-title')}>
        {money(difference)}
      </td>
      <td className={`${cell} min-w-60 whitespace-normal!`}>
        {t(`causes.${cause}`)}
        <span className="block text-12 text-text3">{t(`why.${cause}`)}</span>
        {cause === 'price' && factor !== null && (
          <span className="block text-12">
            {t('factor', { factor })}{' '}
            {channel > 0 && (
              <Link to="/panel/channel" search={{ edit: String(channel) }} className="text-accent hover:underline">
                {t('setPrice')}
              </Link>
            )}
          </span>
        )}
      </td>
    </tr>
  );
}
