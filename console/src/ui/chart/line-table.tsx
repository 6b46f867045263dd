import { useTranslation } from '#i18n/use-translation.ts';
import { Figures } from './figures.tsx';
import type { LineChartProps } from './line-chart.tsx';

/** A line chart as a table: one row per point, the mean in the footer. */
export function LineTable({ label, points, lines, mean, format, height = 220 }: LineChartProps) {
  const { t } = useTranslation('shared');
  const columns = [...lines, { ...mean, id: 'mean', color: undefined, strong: true }];
  const text = (value: number | undefined) => (value === undefined ? '–' : format(value));
  return (
    <Figures
      label={label}
      corner={t('time')}
      columns={columns}
      rows={points.map((point, index) => ({
        id: index,
        name: point.title ?? point.label,
        cells: columns.map(({ values }) => text(values[index])),
      }))}
      feet={[{ id: 'mean', name: mean.label, cells: columns.map(({ whole }) => text(whole)) }]}
      maxHeight={height + 96}
    />
  );
}
