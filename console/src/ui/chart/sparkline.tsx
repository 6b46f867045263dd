interface Props {
  values: readonly number[];
  /** Text alternative: "Requests of the last 7 days: 57k to 65k". */
  label: string;
  width?: number;
  height?: number;
  /** The newest point is incomplete. */
  open?: boolean;
}

/** The line fills at least this share of its mean, so that small changes stay small. */
const leastSpan = 0.2;

/** A small trend line. Marks the newest point, unless all values are zero; an incomplete one is a hollow dot. */
export function Sparkline({ values, label, width = 88, height = 32, open = false }: Props) {
  const pad = 4;
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const mean = values.reduce((sum, value) => sum + Math.abs(value), 0) / Math.max(1, values.length);
  const span = Math.max(highest - lowest, mean * leastSpan) || 1;
  const low = (lowest + highest - span) / 2;
  const points = values.map((value, index) => ({
    x: pad + (index / Math.max(1, values.length - 1)) * (width - pad * 2),
    y: height - pad - ((value - low) / span) * (height - pad * 2),
  }));
  const last = points.at(-1);
  if (!last) return null;
  const nothing = values.every((value) => value === 0);
  const line = (some: typeof points) => some.map(({ x, y }) => `${x},${y}`).join(' ');
  const look = {
    fill: 'none',
    stroke: nothing ? 'var(--color-line2)' : 'var(--color-text2)',
    strokeWidth: '1.5',
    strokeLinejoin: 'round',
    strokeLinecap: 'round',
  } as const;
  return (
    <svg role="img" aria-label={label} width={width} height={height} className="block flex-none">
      <polyline {...look} points={line(open ? points.slice(0, -1) : points)} />
      {open && <polyline {...look} points={line(points.slice(-2))} strokeDasharray="2 3" />}
      {!nothing && (
        <circle
          cx={last.x}
          cy={last.y}
          r="2.75"
          fill={open ? 'var(--color-card)' : 'var(--color-accent)'}
          stroke="var(--color-accent)"
          strokeWidth={open ? 1.5 : 0}
        />
      )}
    </svg>
  );
}
