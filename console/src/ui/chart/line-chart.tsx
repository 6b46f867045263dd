import { ChartFrame } from './chart-frame.tsx';
import type { Point } from './series.ts';

/** Values over time; undefined where there is no data. */
export interface LineSeries {
  id: string;
  label: string;
  color: string;
  values: readonly (number | undefined)[];
  /** The value of the whole period. */
  whole: number | undefined;
}

export interface LineChartProps {
  /** Accessible name. */
  label: string;
  points: readonly Point[];
  lines: readonly LineSeries[];
  /** Fills the area between the first and the last line. */
  band?: boolean | undefined;
  /** The last point is not complete yet: its stretch is dashed, and the point is open. */
  running?: boolean | undefined;
  /** Name of the last row of the table, with the values of the whole period. */
  wholeLabel: string;
  /** Formats a value for tooltip and table. */
  format: (value: number) => string;
  axis: (value: number) => string;
  height?: number | undefined;
  onOpen?: ((index: number) => void) | undefined;
}

/** Lines over time; the tooltip is sorted by value. */
export function LineChart(props: LineChartProps) {
  const { label, points, lines, band = false, running = false, format, axis, height = 220, onOpen } = props;
  const all = lines.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const tip = (index: number) => ({
    lines: lines
      .map((line) => ({ ...line, value: line.values[index] }))
      .toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0))
      .map((line) => ({ ...line, text: line.value === undefined ? '–' : format(line.value) })),
  });
  return (
    <ChartFrame
      label={label}
      points={points}
      axis={{ most: Math.max(0, ...all), text: axis }}
      height={height}
      tip={tip}
      onOpen={onOpen}
    >
      {({ bands, y }) => {
        const x = (index: number) => bands.start(index) + bands.width / 2;
        const [low, high] = [lines[0], lines.at(-1)];
        const open = running ? points.length - 1 : undefined;
        return (
          <>
            {band && low && high && <Area low={low.values} high={high.values} x={x} y={y} />}
            {lines.map((line) => (
              <Line key={line.id} values={line.values} open={open} x={x} y={y} color={line.color} />
            ))}
          </>
        );
      }}
    </ChartFrame>
  );
}

interface Scales {
  x: (index: number) => number;
  y: (value: number) => number;
}

interface AreaProps extends Scales {
  low: LineSeries['values'];
  high: LineSeries['values'];
}

/** The area between two lines, which have values at the same points. */
function Area({ low, high, x, y }: AreaProps) {
  return runsOf(high).map((run) => {
    const upper = run.map(({ index, value }) => `${x(index)},${y(value)}`);
    const lower = run.toReversed().map(({ index }) => `${x(index)},${y(low[index] ?? 0)}`);
    return (
      <polygon key={run[0]?.index} points={[...upper, ...lower].join(' ')} fill="var(--color-series-1)" opacity=".14" />
    );
  });
}

interface LineProps extends Scales {
  values: LineSeries['values'];
  color: string;
  /** Index of the point that is not complete. */
  open: number | undefined;
}

/** A line with gaps where values are missing; a dot for the newest value and for one between two gaps. */
function Line({ values, x, y, color, open }: LineProps) {
  const runs = runsOf(values);
  const last = runs.at(-1)?.at(-1);
  const look = {
    fill: 'none',
    stroke: color,
    strokeWidth: 2,
    strokeLinejoin: 'round',
    strokeLinecap: 'round',
  } as const;
  const pointsOf = (places: readonly Place[]) => places.map(({ index, value }) => `${x(index)},${y(value)}`).join(' ');
  return (
    <g>
      {runs.map((run) => {
        const ends = run.at(-1)?.index === open && run.length > 1;
        return (
          <g key={run[0]?.index}>
            <polyline {...look} points={pointsOf(ends ? run.slice(0, -1) : run)} />
            {ends && <polyline {...look} points={pointsOf(run.slice(-2))} strokeDasharray="3 4" />}
          </g>
        );
      })}
      {runs
        .filter((run) => run.length === 1 || run.at(-1) === last)
        .map((run) => run.at(-1))
        .map(
          (at) =>
            at && (
              <circle
                key={at.index}
                cx={x(at.index)}
                cy={y(at.value)}
                r="3"
                fill={at.index === open ? 'var(--color-card)' : color}
                stroke={at.index === open ? color : 'var(--color-card)'}
                strokeWidth={at.index === open ? 2 : 1}
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
function runsOf(values: LineSeries['values']): Place[][] {
  const runs: Place[][] = [];
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue;
    const run = runs.at(-1);
    if (run?.at(-1)?.index === index - 1) run.push({ index, value });
    else runs.push([{ index, value }]);
  }
  return runs;
}
