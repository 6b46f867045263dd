import type { ReactNode } from 'react';
import { cx } from '#ui/basic/cx.ts';
import { otherColor, type DrawnSeries } from './series.ts';

/** The colour of a series; "other" is pale with an edge, as in the chart. */
export function Swatch({ color }: { color: string }) {
  return (
    <span
      aria-hidden
      className="size-2 flex-none forced-color-adjust-none rounded-[2px]"
      style={
        color === otherColor
          ? { background: `color-mix(in srgb, ${color} 32%, transparent)`, boxShadow: `inset 0 0 0 1px ${color}` }
          : { background: color }
      }
    />
  );
}

interface Props {
  drawn: readonly DrawnSeries[];
  format: (value: number) => string;
}

interface LineKeysProps {
  lines: readonly { id: string; label: string; color: string; whole: number | undefined }[];
  format: (value: number) => string;
  /** After the last line. */
  children?: ReactNode;
  className?: string;
}

/** Colour and name of each line, with its value for the whole period. */
export function LineKeys({ lines, format, children, className }: LineKeysProps) {
  return (
    <ul className={cx('flex flex-wrap gap-x-4 gap-y-1 text-12 text-text2 tabular-nums', className)}>
      {lines.map(({ id, label, color, whole }) => (
        <li key={id} className="flex items-center gap-2">
          <Swatch color={color} />
          {label}
          <span className="text-text">{whole === undefined ? '–' : format(whole)}</span>
        </li>
      ))}
      {children}
    </ul>
  );
}

/** Colour, name and total of each series. */
export function Legend({ drawn, format }: Props) {
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
