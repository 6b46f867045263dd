import { ChartColumn, Download, Table2 } from 'lucide-react';
import { lazy, Suspense, useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { languageTag } from '#i18n/i18n.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import type { ChartProps } from './bar-chart.tsx';
import type { ExportedChart } from './chart-export.ts';
import { ChartSkeleton } from './chart-skeleton.tsx';
import { usePointed } from './crosshair.tsx';
import type { LineChartProps } from './line-chart.tsx';
import type { Point } from './series.ts';
import { cx } from '#ui/basic/cx.ts';

const loadBars = () => import('./bar-chart.tsx');
const BarChart = lazy(async () => ({ default: (await loadBars()).BarChart }));
const ChartTable = lazy(async () => ({ default: (await import('./chart-table.tsx')).ChartTable }));
const LineChart = lazy(async () => ({ default: (await import('./line-chart.tsx')).LineChart }));
const LineTable = lazy(async () => ({ default: (await import('./line-table.tsx')).LineTable }));

interface HeadProps {
  title: string;
  /** Next to the title, e.g. the total. */
  value?: ReactNode;
  /** Quiet text after the value, e.g. what the segments are. */
  note?: ReactNode;
  /** At the right, e.g. a `Segmented` that selects the measure. */
  children?: ReactNode;
  /** Replaces the chart: loading, error, no data. */
  instead?: ReactNode;
  /** Below the chart or table. */
  foot?: ReactNode;
  className?: string | undefined;
  /** The value at a point, shown in place of value and note while any chart of the page points there. */
  valueAt?: ((index: number) => string) | undefined;
  /** Unit of the values in downloads. */
  unit?: string | undefined;
}

/** A chart with its heading, also readable as a table; the chart's code is loaded on first use. */
export function ChartCard({
  title,
  value,
  note,
  children,
  instead,
  foot,
  className,
  valueAt,
  unit,
  ...chart
}: HeadProps & Omit<ChartProps, 'label'>) {
  // The code loads while the data does.
  useEffect(() => void loadBars(), []);
  return (
    <Frame
      {...{ title, value, note, instead, foot, className, valueAt }}
      figures={{ points: chart.points, series: chart.series, beside: chart.line, unit }}
      height={chart.height}
      legend={chart.legend}
      chart={<BarChart {...chart} label={title} />}
      table={<ChartTable {...chart} label={title} />}
    >
      {children}
    </Frame>
  );
}

/** A `ChartCard` with a line chart. */
export function LineCard({
  title,
  value,
  note,
  children,
  instead,
  foot,
  className,
  valueAt,
  unit,
  ...chart
}: HeadProps & Omit<LineChartProps, 'label'>) {
  return (
    <Frame
      {...{ title, value, note, instead, foot, className, valueAt }}
      figures={{ points: chart.points, lines: chart.lines, unit }}
      height={chart.height}
      legend={false}
      chart={<LineChart {...chart} label={title} />}
      table={<LineTable {...chart} label={title} />}
    >
      {children}
    </Frame>
  );
}

interface FrameProps extends HeadProps {
  height: number | undefined;
  legend: boolean | undefined;
  /** For downloads. */
  figures: Omit<ExportedChart, 'title' | 'names' | 'language'>;
  chart: ReactNode;
  table: ReactNode;
}

function Frame(props: FrameProps) {
  const { title, value, note, children, instead, foot, height = 220, legend = true, chart, table, className } = props;
  const { valueAt, figures } = props;
  const { points } = figures;
  const { t } = useTranslation('shared');
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  const isThere = instead === undefined;
  const card = useRef<HTMLElement>(null);
  const save = async (kind: 'figures' | 'picture') => {
    const { saveFigures, savePicture } = await import('./chart-export.ts');
    const names = { time: t('time'), total: t('total'), other: (count: number) => t('other', { count }) };
    const exported = { ...figures, title, names, language: languageTag() };
    if (kind === 'figures') saveFigures(exported);
    else if (card.current) await savePicture(exported, card.current);
  };
  return (
    <Card ref={card} aria-labelledby={id} className={className}>
      <CardHead
        id={id}
        title={title}
        twoLines={Boolean(children)}
        aside={
          <Reading points={points} valueAt={valueAt}>
            {value !== undefined && <span className="text-14 font-title tabular-nums">{value}</span>}
            {note && <span className="min-w-0 truncate text-13 text-text2 tabular-nums">{note}</span>}
          </Reading>
        }
      >
        {children}
        <span className={cx('flex items-center', !isThere && 'invisible')}>
          <IconButton
            label={t(asTable ? 'asChart' : 'asTable')}
            icon={asTable ? ChartColumn : Table2}
            size="sm"
            onClick={() => setAsTable((now) => !now)}
          />
          <MenuButton
            label={t('download')}
            icon={Download}
            size="sm"
            entries={() => [
              { label: t('asCsv'), onSelect: () => void save('figures') },
              // Only a chart can be drawn.
              { label: t('asPng'), disabled: asTable, onSelect: () => void save('picture') },
            ]}
          />
        </span>
      </CardHead>
      <div className="px-4 pt-1 pb-4" style={{ minHeight: height + (legend ? 48 : 20) }}>
        {instead ?? <Suspense fallback={<ChartSkeleton />}>{asTable ? table : chart}</Suspense>}
        {isThere && foot}
      </div>
    </Card>
  );
}

/**
 * Value and note of a card; while any chart of the page points at a time, this card's value there. It is laid over the
 * others and takes no room, so that the head keeps its height.
 */
function Reading({
  points,
  valueAt,
  children,
}: Pick<FrameProps, 'valueAt'> & { points: readonly Point[]; children: ReactNode }) {
  const index = usePointed(points.length);
  const point = index === undefined ? undefined : points[index];
  const pointed = point && valueAt && index !== undefined ? valueAt(index) : undefined;
  return (
    <span className="relative min-w-0 flex-auto">
      <span data-reading className={cx('flex min-w-0 items-center gap-2', pointed !== undefined && 'invisible')}>
        {children}
      </span>
      {pointed !== undefined && (
        <span className="absolute inset-0 flex items-center gap-1 text-13 text-text2 tabular-nums">
          <span className="truncate">{point?.label}:</span> <span className="flex-none">{pointed}</span>
        </span>
      )}
    </span>
  );
}
