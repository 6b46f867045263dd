import { useId, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ChartFrame } from './chart-frame.tsx';
import type { TipLine } from './chart-tip.tsx';
import { Legend, type Picked } from './legend.tsx';
import { fold, otherId, sumAt, type DrawnSeries, type Point, type Series } from './series.ts';

export interface ChartProps {
  /** Accessible name. */
  label: string;
  points: readonly Point[];
  series: readonly Series[];
  /** Formats a value for tooltip, legend and table: "$596.30". */
  format: (value: number) => string;
  /** Formats a value for the axis, with its unit: "$1.5K". */
  axis: (value: number) => string;
  height?: number | undefined;
  legend?: boolean | undefined;
  /** The values are integers, and so are the ticks of the axis. */
  whole?: boolean | undefined;
  /** A count over the same time, drawn as a line with a second axis at the right. */
  line?: BesideLine | undefined;
  /** The last point is incomplete and hatched; optionally with an earlier value for comparison. */
  running?: Running | undefined;
  onOpen?: ((index: number, series: string | undefined) => void) | undefined;
  /** Called with the first and last point over which the mouse was dragged. */
  onSpan?: ((first: number, last: number) => void) | undefined;
}

export interface Running {
  /** Label of the earlier value at the same time of day: "Thu up to 17:00". */
  before?: { label: string; value: number } | undefined;
  /** Text above the last bar: "so far". */
  mark?: string | undefined;
}

export interface BesideLine {
  label: string;
  values: readonly number[];
  format: (value: number) => string;
}

const lineColor = 'var(--color-series-2)';
const widest = 56;
/** Room for a mark above a bar; in narrower bands and over high bars only the hatch shows that it is incomplete. */
const markRoom = { width: 60, height: 20 };
/** Integer axes up to this value have steps of one. */
const wholeSteps = 4;

/** Stacked bars over time; the tooltip is sorted by value and shows the total. */
export function BarChart(props: ChartProps) {
  const {
    label,
    points,
    series,
    format,
    axis,
    height = 220,
    legend = true,
    whole = false,
    line,
    running,
    onOpen,
    onSpan,
  } = props;
  const { t } = useTranslation('shared');
  const all = fold(series, points.length, (count) => t('other', { count }));
  const picked = usePicked(all);
  const { drawn } = picked;
  const hatch = useId();
  const isRunning = (index: number) => running !== undefined && index === points.length - 1;
  const tip = (index: number) => {
    const lines: TipLine[] = drawn
      .map((each) => ({ ...each, value: each.values[index] ?? 0 }))
      .toSorted((a, b) => b.value - a.value)
      .map((each) => ({ ...each, text: format(each.value) }));
    const total = { label: t(isRunning(index) ? 'totalSoFar' : 'total'), text: format(sumAt(drawn, index)) };
    const before = isRunning(index) && running?.before;
    if (before) lines.push({ id: 'before', label: before.label, text: format(before.value) });
    const beside = line && {
      id: 'beside',
      label: line.label,
      color: lineColor,
      text: line.format(line.values[index] ?? 0),
    };
    return { lines: beside ? [...lines, beside] : lines, foot: lines.length > 1 ? total : undefined };
  };
  return (
    <div>
      <ChartFrame
        label={label}
        points={points}
        axis={{
          most: Math.max(
            whole ? wholeSteps : 0,
            running?.before?.value ?? 0,
            ...points.map((_, index) => sumAt(drawn, index)),
          ),
          text: axis,
        }}
        rightAxis={line && { most: Math.max(wholeSteps, ...line.values), text: line.format }}
        height={height}
        tip={tip}
        onOpen={onOpen}
        onSpan={onSpan}
      >
        {({ bands, y, right }) => (
          <>
            {running && (
              <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="2.5" height="6" fill="var(--color-card)" />
              </pattern>
            )}
            {points.map((_, index) => (
              <g key={index} transform={`translate(${bands.start(index)},0)`}>
                <Stack
                  drawn={drawn}
                  pointed={picked.pointed}
                  index={index}
                  width={Math.min(widest, bands.width)}
                  offset={Math.max(0, (bands.width - widest) / 2)}
                  y={y}
                />
                {isRunning(index) && (
                  <rect
                    x={Math.max(0, (bands.width - widest) / 2)}
                    width={Math.min(widest, bands.width)}
                    y={y(sumAt(drawn, index))}
                    height={Math.max(0, y(0) - y(sumAt(drawn, index)))}
                    fill={`url(#${hatch})`}
                    className="pointer-events-none"
                  />
                )}
                {isRunning(index) &&
                  running?.mark &&
                  bands.width >= markRoom.width &&
                  y(sumAt(drawn, index)) >= markRoom.height && (
                    <text
                      x={bands.width / 2}
                      y={y(sumAt(drawn, index)) - 6}
                      textAnchor="middle"
                      fill="var(--color-text2)"
                    >
                      {running.mark}
                    </text>
                  )}
                {isRunning(index) && running?.before && (
                  <line
                    x1={Math.max(0, (bands.width - widest) / 2) - 6}
                    x2={Math.max(0, (bands.width - widest) / 2) + Math.min(widest, bands.width) + 6}
                    y1={y(running.before.value)}
                    y2={y(running.before.value)}
                    stroke="var(--color-text2)"
                    strokeWidth="1.5"
                    strokeDasharray="4 3"
                  />
                )}
              </g>
            ))}
            {line && (
              <Line
                places={line.values.map((value, at) => [bands.start(at) + bands.width / 2, right(value)] as const)}
              />
            )}
          </>
        )}
      </ChartFrame>
      {legend && <Legend drawn={all} format={format} picked={picked} />}
    </div>
  );
}

/** The series that the legend leaves: pointing at one dims the others, choosing one hides them. */
function usePicked(all: readonly DrawnSeries[]): Picked & { drawn: readonly DrawnSeries[] } {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [pointed, onPoint] = useState<string>();
  // A chosen series can be gone with the next period.
  const only = chosen.filter((id) => all.some((each) => each.id === id));
  const onPick = (id: string, adds: boolean) => {
    const others = only.filter((each) => each !== id);
    setChosen(
      adds || only.length === 0
        ? others.length < only.length
          ? others
          : [...only, id]
        : only.includes(id) && only.length === 1
          ? []
          : [id],
    );
  };
  return { only, pointed, onPoint, onPick, drawn: only.length === 0 ? all : all.filter(({ id }) => only.includes(id)) };
}

/** Outlined in the card's colour, so that the line is visible on bars. */
function Line({ places }: { places: readonly (readonly [x: number, y: number])[] }) {
  const points = places.map((place) => place.join(',')).join(' ');
  const look = { points, fill: 'none', strokeLinejoin: 'round', strokeLinecap: 'round' } as const;
  return (
    <>
      <polyline {...look} stroke="var(--color-card)" strokeWidth="5" />
      <polyline {...look} stroke={lineColor} strokeWidth="2" />
    </>
  );
}

interface StackProps {
  /** Id of the series whose entry of the legend is pointed at. */
  pointed: string | undefined;
  drawn: readonly DrawnSeries[];
  index: number;
  width: number;
  offset: number;
  y: (value: number) => number;
}

function Stack({ drawn, pointed, index, width, offset, y }: StackProps) {
  const values = drawn.map((each) => each.values[index] ?? 0);
  const sums = values.map((_, at) => values.slice(0, at + 1).reduce((sum, value) => sum + value, 0));
  const parts = drawn.flatMap(({ id, color }, at) =>
    (values[at] ?? 0) > 0 ? [{ id, color, top: y(sums[at] ?? 0), bottom: y(sums[at - 1] ?? 0) }] : [],
  );
  if (parts.length === 0) return <rect x={offset} width={width} y={y(0) - 1} height="1" fill="var(--color-line2)" />;
  return parts.map((part, at) => {
    // A gap of 1 px below each segment except the lowest.
    const tall = Math.max(0.5, part.bottom - part.top - (at > 0 ? 1 : 0));
    const top = at === parts.length - 1;
    // "Other" is pale with an edge, so that it never looks like a series.
    const pale = part.id === otherId && tall > 2;
    const inset = pale ? 0.5 : 0;
    const look = {
      fill: part.color,
      'data-series': part.id,
      opacity: pointed === undefined || pointed === part.id ? undefined : 0.25,
      ...(pale && { fillOpacity: 0.32, stroke: part.color, strokeWidth: 1 }),
    };
    const box = { x: offset + inset, y: part.top + inset, width: width - inset * 2, height: tall - inset * 2 };
    return top ? (
      <path key={part.id} d={roundedTop(box.x, box.y, box.width, box.height)} {...look} />
    ) : (
      <rect key={part.id} {...box} {...look} />
    );
  });
}

function roundedTop(x: number, y: number, width: number, tall: number): string {
  const r = Math.min(4, tall, width / 2);
  return `M${x},${y + tall}v${r - tall}q0,${-r} ${r},${-r}h${width - 2 * r}q${r},0 ${r},${r}v${tall - r}z`;
}
