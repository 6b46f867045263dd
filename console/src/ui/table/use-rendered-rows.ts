import { startTransition, useEffect, useState } from 'react';
import { useAfterFirstPaint } from '#ui/basic/use-after-first-paint.ts';

/** Minimum height of a row, and the height above the first row, in pixels. */
const heights = { compact: 36, comfortable: 44, above: 200 };
const step = 16;
/** Rows in the first paint of the page. */
const atFirst = 8;

/** Upper bound of the rows that fit on the screen. */
export const rowsOnScreen = (compact: boolean): number => Math.ceil((innerHeight - heights.above) / heightOf(compact));

const heightOf = (compact: boolean): number => (compact ? heights.compact : heights.comfortable);

/**
 * Number of rows to render: first those that fill the screen, or the first of them while the page starts, then the others
 * in small steps, so that the page is visible and responsive early. At least `least`. `blank` is the height of the rows
 * that will fill the screen, in pixels.
 */
export function useRenderedRows(total: number, compact: boolean, least: number): { count: number; blank: number } {
  const started = useAfterFirstPaint();
  const [wanted, setWanted] = useState(() => rowsOnScreen(compact));
  const drawn = Math.max(started ? wanted : Math.min(wanted, atFirst), least);
  const more = started && drawn < total;
  useEffect(() => {
    if (more) startTransition(() => setWanted(drawn + step));
  }, [more, drawn]);
  return {
    count: Math.min(drawn, total),
    blank: Math.max(0, Math.min(total, wanted) - drawn) * heightOf(compact),
  };
}
