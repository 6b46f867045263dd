import { ChartColumn, Table2 } from 'lucide-react';
import { lazy, Suspense, useId, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './button.tsx';
import { Card, CardHead } from './card.tsx';
import type { ChartProps } from './chart/bar-chart.tsx';
import { ChartBones } from './chart/chart-bones.tsx';
import { cx } from './cx.ts';

const BarChart = lazy(async () => ({ default: (await import('./chart/bar-chart.tsx')).BarChart }));
const ChartTable = lazy(async () => ({ default: (await import('./chart/chart-table.tsx')).ChartTable }));

interface Props extends Omit<ChartProps, 'label'> {
  title: string;
  /** Beside the title, e.g. the total. */
  value?: ReactNode;
  /** At the right, e.g. a `Segmented` that changes what is measured. */
  children?: ReactNode;
  /** In the chart's place: loading, error, nothing. */
  instead?: ReactNode;
  className?: string | undefined;
}

/** A chart with its heading, readable as a table as well; the chart's code comes by itself when it is first shown. */
export function ChartCard({ title, value, children, instead, className, ...chart }: Props) {
  const { t } = useTranslation('shared');
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  const height = chart.height ?? 220;
  return (
    <Card aria-labelledby={id} className={className}>
      <CardHead
        id={id}
        title={title}
        twoLines={Boolean(children)}
        aside={value !== undefined && <span className="text-14 font-title tabular-nums">{value}</span>}
      >
        {children}
        <IconButton
          label={t(asTable ? 'asChart' : 'asTable')}
          icon={asTable ? ChartColumn : Table2}
          size="sm"
          className={cx(instead !== undefined && 'invisible')}
          onClick={() => setAsTable((now) => !now)}
        />
      </CardHead>
      <div className="px-4 pt-1 pb-4" style={{ minHeight: height + 48 }}>
        {instead ?? (
          <Suspense fallback={<ChartBones />}>
            {asTable ? <ChartTable {...chart} label={title} /> : <BarChart {...chart} label={title} />}
          </Suspense>
        )}
      </div>
    </Card>
  );
}
