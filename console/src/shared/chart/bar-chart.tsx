import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { ChartTip } from './chart-tip.tsx';
import { Legend } from './legend.tsx';
import { bandScale, linearScale } from './scale.ts';
import { fold, sumAt, type Drawn, type Point, type Series } from './series.ts';
import { useWidth } from './use-width.ts';

export interface ChartProps {
  /** Accessible name. */
  label: string;
  points: readonly Point[];
  series: readonly Series[];
  /** A value in tooltip, legend and table: "$596.30". */
  format: (value: number) => string;
  /** A value on the axis, with its unit: "$1.5K". */
  axis: (value: number) => string;
  height?: number | undefined;
  legend?: boolean | undefined;
}

const foot = 28;
const head = 8;

/** Stacked bars over time. Arrow keys walk the bars; the tooltip is sorted by value and has the total. */
export function BarChart({ label, points, series, format, axis, height = 220, legend = true }: ChartProps) {
  const { t } = useTranslation('shared');
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [active, setActive] = useState<number>();
  const drawn = fold(series, points.length, (count) => t('other', { count }));
  const most = Math.max(0, ...points.map((_, index) => sumAt(drawn, index)));
  const { ticks, at: y } = linearScale(most, 4, height - foot, head);
  const left = 12 + Math.max(...ticks.map((tick) => axis(tick).length)) * 7;
  const bands = bandScale(points.length, left, Math.max(left + 1, width), 0.4, 0.3);

  const onMove = (event: PointerEvent<HTMLDivElement>) => {
    const from = event.currentTarget.getBoundingClientRect().left;
    const index = Math.floor((event.clientX - from - left) / bands.step);
    setActive(index >= 0 && index < points.length ? index : undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = {
      ArrowLeft: (active ?? points.length) - 1,
      ArrowRight: (active ?? -1) + 1,
      Home: 0,
      End: points.length - 1,
    }[event.key];
    if (event.key === 'Escape') setActive(undefined);
    if (next === undefined) return;
    event.preventDefault();
    setActive(Math.max(0, Math.min(points.length - 1, next)));
  };
  return (
    <div>
      <div
        ref={frame}
        role="group"
        aria-label={t('chartOf', { name: label })}
        tabIndex={0}
        onPointerMove={onMove}
        onPointerLeave={() => setActive(undefined)}
        onKeyDown={onKeyDown}
        onBlur={() => setActive(undefined)}
        className="relative rounded-tile"
        style={{ height }}
      >
        {width > 0 && (
          <svg aria-hidden width={width} height={height} className="block text-12">
            {ticks.map((tick) => (
              <g key={tick} transform={`translate(0,${y(tick)})`}>
                <line x1={left} x2={width} stroke="var(--color-line)" />
                <text x={left - 8} dy="4" textAnchor="end" fill="var(--color-text2)">
                  {axis(tick)}
                </text>
              </g>
            ))}
            {active !== undefined && (
              <rect
                x={bands.start(active) - (bands.step - bands.width) / 2}
                width={bands.step}
                y={head}
                height={height - foot - head}
                rx="8"
                fill="var(--color-fill)"
                opacity=".7"
              />
            )}
            {points.map((point, index) => (
              <g key={index} transform={`translate(${bands.start(index)},0)`}>
                <Stack
                  drawn={drawn}
                  index={index}
                  width={Math.min(40, bands.width)}
                  offset={Math.max(0, (bands.width - 40) / 2)}
                  y={y}
                />
                {isLabelled(index, points.length, bands.step) && (
                  <text
                    x={bands.width / 2}
                    y={height - 8}
                    textAnchor="middle"
                    fill={index === active ? 'var(--color-text)' : 'var(--color-text2)'}
                  >
                    {point.label}
                  </text>
                )}
              </g>
            ))}
          </svg>
        )}
        {active !== undefined && points[active] && (
          <ChartTip
            drawn={drawn}
            index={active}
            title={points[active].title ?? points[active].label}
            format={format}
            x={bands.start(active) + bands.width / 2}
            width={width}
            gap={bands.width / 2}
          />
        )}
      </div>
      {legend && <Legend drawn={drawn} format={format} />}
    </div>
  );
}

interface StackProps {
  drawn: readonly Drawn[];
  index: number;
  width: number;
  offset: number;
  y: (value: number) => number;
}

function Stack({ drawn, index, width, offset, y }: StackProps) {
  const values = drawn.map((each) => each.values[index] ?? 0);
  const sums = values.map((_, at) => values.slice(0, at + 1).reduce((sum, value) => sum + value, 0));
  const parts = drawn.flatMap(({ id, color }, at) =>
    (values[at] ?? 0) > 0 ? [{ id, color, top: y(sums[at] ?? 0), bottom: y(sums[at - 1] ?? 0) }] : [],
  );
  if (parts.length === 0) return <rect x={offset} width={width} y={y(0) - 1} height="1" fill="var(--color-line2)" />;
  return parts.map((part, at) => {
    // 1 px of the card stays free below each part but the lowest.
    const tall = Math.max(0.5, part.bottom - part.top - (at > 0 ? 1 : 0));
    const top = at === parts.length - 1;
    return top ? (
      <path key={part.id} d={roundedTop(offset, part.top, width, tall)} fill={part.color} />
    ) : (
      <rect key={part.id} x={offset} width={width} y={part.top} height={tall} fill={part.color} />
    );
  });
}

function roundedTop(x: number, y: number, width: number, tall: number): string {
  const r = Math.min(4, tall, width / 2);
  return `M${x},${y + tall}v${r - tall}q0,${-r} ${r},${-r}h${width - 2 * r}q${r},0 ${r},${r}v${tall - r}z`;
}

/** As many labels as have room, the newest always. */
function isLabelled(index: number, count: number, step: number): boolean {
  const every = Math.max(1, Math.ceil(40 / Math.max(1, step)));
  return (count - 1 - index) % every === 0;
}
