import { useState } from 'react';
import { ChartCard, LineCard } from '#ui/chart/chart-card.tsx';
import { ChartSkeleton } from '#ui/chart/chart-skeleton.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { axisDollars, formatDollars } from '#ui/format/money.ts';
import { NumberCard } from '#ui/basic/number-card.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { Sparkline } from '#ui/chart/sparkline.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { ChartColumn } from 'lucide-react';
import { Part } from './states-parts.tsx';

const days = ['11-14', '11-15', '11-16', '11-17', '11-18', '11-19', '11-20'].map((label) => ({
  label,
  title: `2026-${label}`,
}));
const models = [
  'claude-sonnet-4',
  'gpt-4o',
  'gemini-2.5-pro',
  'gpt-4.1-mini',
  'deepseek-chat',
  'qwen-max',
  'o3',
  'glm-4-plus',
  'mistral-large',
];
const spent = models.map((label, rank) => ({
  id: label,
  label,
  values: days.map((_, day) => (day === 3 ? 0 : (460 + ((day * 37) % 140)) / (rank + 1))),
}));
const lines = models.slice(0, 3).map((label, rank) => ({
  id: label,
  label,
  color: `var(--color-series-${rank + 1})`,
  // One day without data.
  values: days.map((_, day) => (day === 3 - rank ? undefined : 400 + ((day * 137 + rank * 90) % 700))),
  whole: 700 + rank * 40,
}));
const ms = (value: number) => `${formatWhole(Math.round(value))} ms`;
const states = {
  there: undefined,
  loading: <ChartSkeleton />,
  empty: <EmptyState icon={ChartColumn} title="Nothing yet" text="Calls are counted here as they come." />,
  error: <ErrorState text="The server did not answer." onRetry={() => toast.info('Retrying')} />,
};

/** Charts and number cards: loaded, loading, empty and failed. */
export function StatesCharts() {
  const [state, setState] = useState<keyof typeof states>('there');
  const instead = states[state];
  return (
    <Part title="Charts">
      <Segmented
        label="State of the charts"
        value={state}
        onChange={setState}
        options={(['there', 'loading', 'empty', 'error'] as const).map((value) => ({ value, label: value }))}
      />
      <div className="grid gap-4 lg:grid-cols-2">
        <ChartCard
          title="Spent in 7 days"
          value="$8,552.50"
          instead={instead}
          points={days}
          series={spent}
          format={(value) => formatDollars(value)}
          axis={axisDollars}
        />
        <LineCard
          title="Average latency"
          value="640 ms"
          instead={instead}
          points={days}
          lines={lines}
          band
          running
          wholeLabel="All days"
          format={ms}
          axis={ms}
        />
        <NumberCard
          name="Requests today"
          note={state === 'loading' ? undefined : '57k to 65k in the last 7 days'}
          beside={<Sparkline label="Requests of the last 7 days" values={[5, 2, 4, 3.5, 3, 6, 5]} />}
        >
          {state === 'loading' ? undefined : '61,204'}
        </NumberCard>
      </div>
    </Part>
  );
}
