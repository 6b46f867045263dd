import { ChartColumn, Table2 } from 'lucide-react';
import { lazy, Suspense, useEffect, useId, useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import type { ChartProps } from './bar-chart.tsx';
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
  ...chart
}: HeadProps & Omit<ChartProps, 'label'>) {
  // The code loads while the data does.
  useEffect(() => void loadBars(), []);
  return (
    <Frame
      {...{ title, value, note, instead, foot, className, valueAt }}
      points={chart.points}
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
  ...chart
}: HeadProps & Omit<LineChartProps, 'label'>) {
  return (
    <Frame
      {...{ title, value, note, instead, foot, className, valueAt }}
      points={chart.points}
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
  points: readonly Point[];
  chart: ReactNode;
  table: ReactNode;
}

function Frame(props: FrameProps) {
  const { title, value, note, children, instead, foot, height = 220, legend = true, chart, table, className } = props;
  const { valueAt, points } = props;
  const { t } = useTranslation('shared');
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  const isThere = instead === undefined;
  return (
    <Card aria-labelledby={id} className={className}>
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
        <IconButton
          label={t(asTable ? 'asChart' : 'asTable')}
          icon={asTable ? ChartColumn : Table2}
          size="sm"
          className={cx(!isThere && 'invisible')}
          onClick={() => setAsTable((now) => !now)}
        />
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
function Reading({ points, valueAt, children }: Pick<FrameProps, 'points' | 'valueAt'> & { children: ReactNode }) {
  const index = usePointed(points.length);
  const point = index === undefined ? undefined : points[index];
  const pointed = point && valueAt && index !== undefined ? valueAt(index) : undefined;
  return (
    <span className="relative min-w-0 flex-auto">
      <span className={cx('flex min-w-0 items-center gap-2', pointed !== undefined && 'invisible')}>{children}</span>
      {pointed !== undefined && (
        <span className="absolute inset-0 flex items-center gap-1 text-13 text-text2 tabular-nums">
          <span className="truncate">{point?.label}:</span> <span className="flex-none">{pointed}</span>
        </span>
      )}
    </span>
  );
}
