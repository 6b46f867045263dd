import type { DrawnSeries } from './series.ts';

export function Swatch({ color }: { color: string }) {
  return (
    <span
      aria-hidden
      className="size-2 flex-none forced-color-adjust-none rounded-[2px]"
      style={{ background: color }}
    />
  );
}

/** Colour, name and total of each series. */
export function Legend({ drawn, format }: { drawn: readonly DrawnSeries[]; format: (value: number) => string }) {
  return (
    <ul className="mt-3 flex flex-wrap gap-x-6 gap-y-1.5 text-12 text-text2 max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4">
      {drawn.map((each) => (
        <li key={each.id} className="flex min-w-0 items-center gap-2">
          <Swatch color={each.color} />
          <span className="max-w-48 truncate">{each.label}</span>
          <span className="text-text tabular-nums max-sm:ml-auto">{format(each.total)}</span>
        </li>
      ))}
    </ul>
  );
}
