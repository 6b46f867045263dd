import { useTranslation } from '#i18n/use-translation.ts';
import { Figures } from './figures.tsx';
import type { LineChartProps } from './line-chart.tsx';

/** A line chart as a table: one row per point, the whole period in the footer. */
export function LineTable({ label, points, lines, wholeLabel, format, height = 220 }: LineChartProps) {
  const { t } = useTranslation('shared');
  const text = (value: number | undefined) => (value === undefined ? '–' : format(value));
  return (
    <Figures
      label={label}
      corner={t('time')}
      columns={lines}
      rows={points.map((point, index) => ({
        id: index,
        name: point.title ?? point.label,
        cells: lines.map(({ values }) => text(values[index])),
      }))}
      feet={[{ id: 'whole', name: wholeLabel, cells: lines.map(({ whole }) => text(whole)) }]}
      maxHeight={height + 96}
    />
  );
}
