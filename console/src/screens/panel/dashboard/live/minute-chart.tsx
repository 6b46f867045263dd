import { cx } from '#ui/basic/cx.ts';

type Tone = 'accent' | 'ok' | 'warn' | 'bad' | 'muted';

interface Line {
  /** One value per minute, oldest first; null: none. The last minute is still running. */
  values: readonly (number | null)[];
  tone: Tone;
}

interface Props {
  /** Text alternative. */
  label: string;
  lines: readonly Line[];
  /** Lowest and highest value of the axis; left out: from zero to the highest value. */
  range?: readonly [number, number];
}

const width = 240;
const height = 40;
const pad = 3;
const strokes: Record<Tone, string> = {
  accent: 'stroke-accent',
  ok: 'stroke-ok-g',
  warn: 'stroke-warn-g',
  bad: 'stroke-bad-g',
  muted: 'stroke-text3',
};
const fills: Record<Tone, string> = {
  accent: 'fill-accent-soft',
  ok: 'fill-ok-soft',
  warn: 'fill-warn-soft',
  bad: 'fill-bad-soft',
  muted: 'fill-none',
};

/** Minutes as a line over the whole width of a card. The running one is left out: it would look like a collapse. */
export function MinuteChart({ label, lines, range }: Props) {
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const [low, high] = range ?? [0, highest];
  const y = (value: number) => height - pad - ((value - low) / (high - low || 1)) * (height - 2 * pad);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="block h-10 w-full overflow-visible"
    >
      {lines.map(({ values, tone }, index) => {
        const x = (at: number) => (at / Math.max(1, values.length - 2)) * width;
        const stretches = stretchesOf(values.slice(0, -1));
        const end = stretches.at(-1)?.at(-1);
        return (
          <g key={index}>
            {stretches.map((stretch) => (
              <g key={stretch[0]?.at}>
                <path
                  className={cx(fills[tone], 'stroke-none')}
                  d={`M${x(stretch[0]?.at ?? 0)} ${height}${stretch.map((point) => `L${x(point.at)} ${y(point.value)}`).join('')}L${x(stretch.at(-1)?.at ?? 0)} ${height}z`}
                />
                <path
                  className={cx('fill-none stroke-[1.5]', strokes[tone])}
                  vectorEffect="non-scaling-stroke"
                  strokeLinejoin="round"
                  strokeDasharray={tone === 'muted' ? '3 3' : undefined}
                  d={`M${stretch.map((point) => `${x(point.at)} ${y(point.value)}`).join('L')}`}
                />
              </g>
            ))}
            {end && tone !== 'muted' && (
              // A point that stays round while the picture is stretched.
              <path
                className={cx('fill-none stroke-[6]', strokes[tone])}
                vectorEffect="non-scaling-stroke"
                strokeLinecap="round"
                d={`M${x(end.at)} ${y(end.value)}h0.01`}
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** Minutes with a value, in stretches without a gap. */
function stretchesOf(values: readonly (number | null)[]): { at: number; value: number }[][] {
  const stretches: { at: number; value: number }[][] = [];
  let open: { at: number; value: number }[] | undefined;
  values.forEach((value, at) => {
    if (value === null) open = undefined;
    else if (open) open.push({ at, value });
    else stretches.push((open = [{ at, value }]));
  });
  return stretches;
}
