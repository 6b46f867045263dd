import { useTranslation } from '#i18n/use-translation.ts';
import { formatPercent } from '#ui/format/number.ts';
import type { ChartProps } from './bar-chart.tsx';
import { Figures } from './figures.tsx';
import { fold, sumAt } from './series.ts';

/** A bar chart as a table: one row per point, totals and shares in the footer. */
export function ChartTable({ label, points, series, format, height = 220, line }: ChartProps) {
  const { t } = useTranslation('shared');
  const drawn = fold(series, points.length, (count) => t('other', { count }));
  const all = drawn.reduce((sum, each) => sum + each.total, 0);
  const share = (part: number) => formatPercent(all === 0 ? 0 : part / all, 1);
  const single = drawn.length === 1;
  // Total first: columns that do not fit are scrolled, and these are then the smallest.
  const columns = [
    ...(single ? [] : [{ id: 'total', label: t('total'), strong: true }]),
    ...drawn,
    ...(line ? [{ id: 'beside', label: line.label }] : []),
  ];
  /** A row with its total (if there is more than one series) and the count next to it. */
  const row = (parts: readonly string[], total: string, beside: string) => [
    ...(single ? [] : [total]),
    ...parts,
    ...(line ? [beside] : []),
  ];
  const totals = row(
    drawn.map(({ total }) => format(total)),
    format(all),
    '',
  );
  const shares = row(
    drawn.map(({ total }) => share(total)),
    share(all),
    '',
  );
  return (
    <Figures
      label={label}
      corner={t('time')}
      columns={columns}
      rows={points.map((point, index) => ({
        id: index,
        name: point.title ?? point.label,
        cells: row(
          drawn.map((each) => format(each.values[index] ?? 0)),
          format(sumAt(drawn, index)),
          line ? line.format(line.values[index] ?? 0) : '',
        ),
      }))}
      feet={[
        { id: 'total', name: t('total'), cells: totals },
        ...(single ? [] : [{ id: 'share', name: t('share'), cells: shares }]),
      ]}
      maxHeight={height + 96}
    />
  );
}
