import type { ReactNode } from 'react';
import { cx } from '#ui/basic/cx.ts';
import { otherColor, type DrawnSeries } from './series.ts';

/** The colour of a series; "other" is pale with an edge, as in the chart. */
export function Swatch({ color }: { color: string }) {
  return (
    <span
      aria-hidden
      data-swatch
      className="size-2 flex-none forced-color-adjust-none rounded-[2px]"
      style={{
        color,
        ...(color === otherColor
          ? { background: `color-mix(in srgb, ${color} 32%, transparent)`, boxShadow: 'inset 0 0 0 1px' }
          : { background: color }),
      }}
    />
  );
}

/** The series that are pointed at or chosen in a legend. */
export interface Picked {
  /** Ids of the chosen series; empty: all are shown. */
  only: readonly string[];
  pointed: string | undefined;
  onPoint: (id: string | undefined) => void;
  /** `adds`: keeps the others that are chosen. */
  onPick: (id: string, adds: boolean) => void;
}

interface Props {
  drawn: readonly DrawnSeries[];
  format: (value: number) => string;
  picked: Picked;
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

/** Colour, name and total of each series; a click shows one alone, with Shift several. */
export function Legend({ drawn, format, picked }: Props) {
  const { only, onPoint, onPick } = picked;
  return (
    <ul className="mt-3 flex flex-wrap gap-x-6 gap-y-1.5 text-12 text-text2 max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4">
      {drawn.map((each) => (
        <li key={each.id} className="flex min-w-0">
          <button
            type="button"
            aria-pressed={only.includes(each.id)}
            disabled={drawn.length === 1}
            onPointerEnter={() => onPoint(each.id)}
            onPointerLeave={() => onPoint(undefined)}
            onClick={(event) => onPick(each.id, event.shiftKey)}
            className={cx(
              'touch flex min-w-0 flex-auto items-center gap-2 rounded-tile text-left enabled:hover:text-text',
              only.length > 0 && !only.includes(each.id) && 'opacity-50',
            )}
          >
            <Swatch color={each.color} />
            <span className="max-w-48 truncate">{each.label}</span>
            <span className="text-text tabular-nums max-sm:ml-auto">{format(each.total)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
