import { ChartFrame } from './chart-frame.tsx';
import type { Point } from './series.ts';

/** Values over time; undefined where there is no data. */
export interface LineSeries {
  id: string;
  label: string;
  color: string;
  values: readonly (number | undefined)[];
  /** Mean over all points. */
  whole: number | undefined;
}

export interface LineChartProps {
  /** Accessible name. */
  label: string;
  points: readonly Point[];
  lines: readonly LineSeries[];
  /** Over all series together, drawn dashed. */
  mean: Omit<LineSeries, 'id' | 'color'>;
  /** Formats a value for tooltip, table and axis. */
  format: (value: number) => string;
  axis: (value: number) => string;
  height?: number | undefined;
}

const meanColor = 'var(--color-text3)';

/** Lines over time with the mean of all; the tooltip is sorted by value. */
export function LineChart({ label, points, lines, mean, format, axis, height = 220 }: LineChartProps) {
  const all = [...lines, mean].flatMap(({ values }) => values.filter((value) => value !== undefined));
  const tip = (index: number) => {
    const at = mean.values[index];
    return {
      lines: lines
        .flatMap((line) => {
          const value = line.values[index];
          return value === undefined ? [] : [{ ...line, value, text: format(value) }];
        })
        .toSorted((a, b) => b.value - a.value),
      foot: { label: mean.label, text: at === undefined ? '–' : format(at) },
    };
  };
  return (
    <ChartFrame
      label={label}
      points={points}
      axis={{ most: Math.max(0, ...all), text: axis }}
      height={height}
      tip={tip}
    >
      {({ bands, y }) => {
        const x = (index: number) => bands.start(index) + bands.width / 2;
        return (
          <>
            <Line values={mean.values} x={x} y={y} color={meanColor} dashed />
            {lines.map((line) => (
              <Line key={line.id} values={line.values} x={x} y={y} color={line.color} />
            ))}
          </>
        );
      }}
    </ChartFrame>
  );
}

interface LineProps {
  values: LineSeries['values'];
  x: (index: number) => number;
  y: (value: number) => number;
  color: string;
  dashed?: boolean;
}

/** A line with gaps where values are missing; a dot for the newest value and for one between two gaps. */
function Line({ values, x, y, color, dashed = false }: LineProps) {
  const runs = runsOf(values);
  const last = runs.at(-1)?.at(-1);
  return (
    <g>
      {runs.map((run) =>
        run.length === 1 ? null : (
          <polyline
            key={run[0]?.index}
            points={run.map(({ index, value }) => `${x(index)},${y(value)}`).join(' ')}
            fill="none"
            stroke={color}
            strokeWidth={dashed ? 1.5 : 2}
            strokeDasharray={dashed ? '4 4' : undefined}
            strokeLinejoin="round"
            strokeLinecap="round"
          />
        ),
      )}
      {runs
        .filter((run) => run.length === 1 || run.at(-1) === last)
        .map((run) => run.at(-1))
        .map(
          (at) =>
            at &&
            !dashed && (
              <circle
                key={at.index}
                cx={x(at.index)}
                cy={y(at.value)}
                r="3"
                fill={color}
                stroke="var(--color-card)"
                strokeWidth="1"
              />
            ),
        )}
    </g>
  );
}

interface Place {
  index: number;
  value: number;
}

/** Runs of values without a gap. */
export function runsOf(values: LineSeries['values']): Place[][] {
  const runs: Place[][] = [];
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue;
    const run = runs.at(-1);
    if (run?.at(-1)?.index === index - 1) run.push({ index, value });
    else runs.push([{ index, value }]);
  }
  return runs;
}
