import {
  lazy,
  Suspense,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useCrosshair } from './crosshair.tsx';
import type { TipLine } from './chart-tip.tsx';
import { cx } from '#ui/basic/cx.ts';
import { bandScale, linearScale, type Bands, type Scale } from './scale.ts';
import type { Point } from './series.ts';
import { useWidth } from './use-width.ts';

// Needed when a point is first marked.
const loadTip = () => import('./chart-tip.tsx');
const ChartTip = lazy(async () => ({ default: (await loadTip()).ChartTip }));

const foot = 28;
const head = 8;
/** Maximum width of a character on an axis, in pixels. */
const letterWidth = 7;
/** Widths of the characters of dates: digits, and Chinese and Japanese ones. */
const dateLetterWidth = 6.6;
const wideLetterWidth = 12;

const widthOf = (label: string): number =>
  label.length * dateLetterWidth + (label.match(/[\u2e80-\uffff]/g)?.length ?? 0) * (wideLetterWidth - dateLetterWidth);

export interface Axis {
  /** The largest value; the axis starts at zero. */
  most: number;
  /** Formats a value with its unit: "$1.5K". */
  text: (value: number) => string;
}

export interface Plot {
  bands: Bands;
  /** Pixel position of a value on the left axis, and on the right one if there is one. */
  y: Scale['at'];
  right: Scale['at'];
}

interface Props {
  /** Accessible name. */
  label: string;
  points: readonly Point[];
  axis: Axis;
  rightAxis?: Axis | undefined;
  height: number;
  /** The tooltip of one point. */
  tip: (index: number) => { lines: readonly TipLine[]; foot?: { label: string; text: string } | undefined };
  /** Called on a click or Enter with the point, and with the series if one was hit. */
  onOpen?: ((index: number, series: string | undefined) => void) | undefined;
  /** Called when the mouse was dragged over several points, with the first and the last one. */
  onSpan?: ((first: number, last: number) => void) | undefined;
  children: (plot: Plot) => ReactNode;
}

/** Time axis and value axes around a chart. Arrow keys move through the points, show their tooltip, and Enter opens one. */
export function ChartFrame({ label, points, axis, rightAxis, height, tip, onOpen, onSpan, children }: Props) {
  const { t } = useTranslation('shared');
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const { index: active, isHere, set: setActive } = useCrosshair(useId(), points.length);
  // A first tap shows the tooltip, the next one opens the point.
  const armed = useRef<number>(undefined);
  // The point at which a drag began; it is one from the next point on.
  const [pressed, setPressed] = useState<number>();
  const span =
    pressed !== undefined && active !== undefined && isHere && pressed !== active
      ? ([Math.min(pressed, active), Math.max(pressed, active)] as const)
      : undefined;
  const scaleOf = ({ most }: Axis) => linearScale(most, 4, height - foot, head);
  const scale = scaleOf(axis);
  const left = marginOf(axis, scale);
  const rightScale = rightAxis && scaleOf(rightAxis);
  const end = width - (rightAxis && rightScale ? marginOf(rightAxis, rightScale) : 0);
  const bands = bandScale({ count: points.length, from: left, to: Math.max(left + 1, end), inner: 0.4, outer: 0.3 });

  const indexAt = (event: MouseEvent<HTMLDivElement>): number | undefined => {
    const from = event.currentTarget.getBoundingClientRect().left;
    const index = Math.floor((event.clientX - from - left) / bands.step);
    return index >= 0 && index < points.length ? index : undefined;
  };
  const onMove = (event: PointerEvent<HTMLDivElement>) => setActive(indexAt(event));
  const onDown = (event: PointerEvent<HTMLDivElement>) => {
    armed.current = event.pointerType === 'mouse' || (isHere && active === indexAt(event)) ? indexAt(event) : undefined;
    setActive(indexAt(event));
    if (onSpan && event.pointerType === 'mouse' && event.button === 0) setPressed(indexAt(event));
  };
  const onUp = () => {
    if (span) {
      armed.current = undefined;
      onSpan?.(...span);
    }
    setPressed(undefined);
  };
  const onClick = (event: MouseEvent<HTMLDivElement>) => {
    const index = indexAt(event);
    if (index === undefined || index !== armed.current) return;
    const hit = event.target instanceof Element ? event.target.closest('[data-series]') : null;
    onOpen?.(index, hit?.getAttribute('data-series') ?? undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = {
      ArrowLeft: (active ?? points.length) - 1,
      ArrowRight: (active ?? -1) + 1,
      Home: 0,
      End: points.length - 1,
    }[event.key];
    if (event.key === 'Escape') {
      setActive(undefined);
      setPressed(undefined);
    }
    if (event.key === 'Enter' && active !== undefined) onOpen?.(active, undefined);
    if (next === undefined) return;
    event.preventDefault();
    setActive(Math.max(0, Math.min(points.length - 1, next)));
  };
  const labelWidth = Math.max(0, ...points.map((each) => widthOf(each.label)));
  const middleOf = (index: number) => bands.start(index) + bands.width / 2;
  // The newest label is always shown, shifted to the left where it would be clipped.
  const moved = Math.max(0, middleOf(points.length - 1) + labelWidth / 2 - end);
  const labelStep = Math.max(1, Math.ceil((labelWidth + 5 + moved) / bands.step));
  return (
    <div
      ref={frame}
      role="group"
      aria-label={t('chartOf', { name: label })}
      tabIndex={0}
      onPointerEnter={() => void loadTip()}
      onFocus={() => void loadTip()}
      onPointerMove={onMove}
      onPointerLeave={(event) => {
        if (event.pointerType !== 'mouse') return;
        setActive(undefined);
        setPressed(undefined);
      }}
      onPointerDown={(onOpen ?? onSpan) && onDown}
      onPointerUp={onSpan && onUp}
      onClick={onOpen && onClick}
      onKeyDown={onKeyDown}
      onBlur={() => setActive(undefined)}
      className={cx(
        'relative rounded-tile',
        onSpan && 'select-none',
        onOpen && active !== undefined && 'cursor-pointer',
      )}
      style={{ height }}
    >
      {width > 0 && (
        <svg aria-hidden width={width} height={height} className="block text-12">
          {scale.ticks.map((tick) => (
            <g key={tick} transform={`translate(0,${scale.at(tick)})`}>
              <line x1={left} x2={end} stroke="var(--color-line)" />
              <text x={left - 8} dy="4" textAnchor="end" fill="var(--color-text2)">
                {axis.text(tick)}
              </text>
            </g>
          ))}
          {rightAxis &&
            rightScale?.ticks.map((tick) => (
              <text key={tick} x={end + 8} y={rightScale.at(tick) + 4} fill="var(--color-text2)">
                {rightAxis.text(tick)}
              </text>
            ))}
          {span && (
            <rect
              data-span
              x={bands.start(span[0]) - bands.step * 0.2}
              width={bands.step * (span[1] - span[0] + 1)}
              y={head}
              height={height - foot - head}
              rx="4"
              fill="var(--color-accent-soft)"
            />
          )}
          {children({ bands, y: scale.at, right: rightScale?.at ?? scale.at })}
          {active !== undefined && (
            <line
              x1={middleOf(active)}
              x2={middleOf(active)}
              y1={head}
              y2={height - foot}
              stroke="var(--color-text2)"
              strokeDasharray="2 3"
              className="pointer-events-none"
              data-crosshair={active}
            />
          )}
          {points.map(
            (point, index) =>
              (points.length - 1 - index) % labelStep === 0 && (
                <text
                  key={index}
                  x={middleOf(index) - (index === points.length - 1 ? moved : 0)}
                  textAnchor="middle"
                  y={height - 8}
                  fill={index === active ? 'var(--color-text)' : 'var(--color-text2)'}
                >
                  {point.label}
                </text>
              ),
          )}
        </svg>
      )}
      {/* A live region must exist before its text changes. */}
      <div role="status">
        {isHere && active !== undefined && points[active] && (
          <Suspense>
            <ChartTip
              {...tip(active)}
              hint={onOpen && t('openPoint')}
              title={points[active].title ?? points[active].label}
              x={middleOf(active)}
              width={width}
              gap={bands.width / 2}
            />
          </Suspense>
        )}
      </div>
    </div>
  );
}

const marginOf = (axis: Axis, { ticks }: Scale): number =>
  12 + Math.max(...ticks.map((tick) => axis.text(tick).length)) * letterWidth;
