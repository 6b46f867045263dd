import { useTranslation } from 'react-i18next';
import { formatPercent } from '../number.ts';
import type { ChartProps } from './bar-chart.tsx';
import { Swatch } from './legend.tsx';
import { fold, sumAt } from './series.ts';

const cell = 'h-8 border-b border-line px-2.5 text-right whitespace-nowrap';

/** The same numbers as a chart, to be read and copied: a row per point, totals and shares in the foot. */
export function ChartTable({ label, points, series, format, height = 220 }: ChartProps) {
  const { t } = useTranslation('shared');
  const drawn = fold(series, points.length, (count) => t('other', { count }));
  const all = drawn.reduce((sum, each) => sum + each.total, 0);
  return (
    <div role="region" aria-label={label} tabIndex={0} className="overflow-auto" style={{ maxHeight: height + 96 }}>
      <table className="w-full border-separate border-spacing-0 text-12 tabular-nums">
        <thead>
          <tr className="*:sticky *:top-0 *:bg-card">
            <th scope="col" className={`${cell} pl-0! text-left! font-normal text-text2`}>
              {t('time')}
            </th>
            {drawn.map((each) => (
              <th key={each.id} scope="col" className={`${cell} font-normal text-text2`}>
                <span className="inline-flex max-w-40 items-center gap-2">
                  <Swatch color={each.color} />
                  <span className="truncate">{each.label}</span>
                </span>
              </th>
            ))}
            <th scope="col" className={`${cell} font-title`}>
              {t('total')}
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map((point, index) => (
            <tr key={index}>
              <th scope="row" className={`${cell} pl-0! text-left! font-normal`}>
                {point.title ?? point.label}
              </th>
              {drawn.map((each) => (
                <td key={each.id} className={cell}>
                  {format(each.values[index] ?? 0)}
                </td>
              ))}
              <td className={`${cell} font-title`}>{format(sumAt(drawn, index))}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="font-title">
            <th scope="row" className={`${cell} pl-0! text-left! font-title`}>
              {t('total')}
            </th>
            {drawn.map((each) => (
              <td key={each.id} className={cell}>
                {format(each.total)}
              </td>
            ))}
            <td className={cell}>{format(all)}</td>
          </tr>
          <tr className="text-text2">
            <th scope="row" className={`${cell} border-b-0 pl-0! text-left! font-normal`}>
              {t('share')}
            </th>
            {drawn.map((each) => (
              <td key={each.id} className={`${cell} border-b-0`}>
                {formatPercent(all === 0 ? 0 : each.total / all, 1)}
              </td>
            ))}
            <td className={`${cell} border-b-0`}>{formatPercent(all === 0 ? 0 : 1, 1)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
