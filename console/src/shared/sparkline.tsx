interface Props {
  values: readonly number[];
  /** What the line says, in words: "Requests of the last 7 days: 57k to 65k". */
  label: string;
  width?: number;
  height?: number;
}

/** A small line of how a number moved; the newest point is marked, unless there was nothing at all. */
export function Sparkline({ values, label, width = 88, height = 32 }: Props) {
  const pad = 4;
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const points = values.map((value, index) => ({
    x: pad + (index / Math.max(1, values.length - 1)) * (width - pad * 2),
    y: height - pad - ((value - low) / span) * (height - pad * 2),
  }));
  const last = points.at(-1);
  if (!last) return null;
  const nothing = values.every((value) => value === 0);
  return (
    <svg role="img" aria-label={label} width={width} height={height} className="block flex-none">
      <polyline
        points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
        fill="none"
        stroke={nothing ? 'var(--color-line2)' : 'var(--color-text2)'}
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      {!nothing && <circle cx={last.x} cy={last.y} r="2.75" fill="var(--color-accent)" />}
    </svg>
  );
}
