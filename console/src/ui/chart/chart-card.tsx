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
  /** The value at a point, which replaces the note while any chart of the page points there. */
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
          <>
            {value !== undefined && <span className="text-14 font-title tabular-nums">{value}</span>}
            <Note points={points} valueAt={valueAt}>
              {note}
            </Note>
          </>
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

/** The note of a card; while any chart of the page points at a time, this card's value there. */
function Note({ points, valueAt, children }: Pick<FrameProps, 'points' | 'valueAt'> & { children: ReactNode }) {
  const index = usePointed(points.length);
  const point = index === undefined ? undefined : points[index];
  const shown = point && valueAt && index !== undefined ? `${point.label}: ${valueAt(index)}` : children;
  return shown ? <span className="min-w-0 truncate text-13 text-text2 tabular-nums">{shown}</span> : null;
}
