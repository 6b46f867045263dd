import { startTransition, useEffect, useState } from 'react';

/** The least height of a row, and what stands above the first one. */
const heights = { compact: 36, comfortable: 44, above: 200 };
const step = 16;

/** How many rows fill the screen, at most. */
export const rowsOnScreen = (compact: boolean): number =>
  Math.ceil((innerHeight - heights.above) / (compact ? heights.compact : heights.comfortable));

/**
 * How many rows of a table are drawn: at first those that fill the screen, the others right after, a few at a time, so
 * that the page is seen and answers before they are there. `least` are drawn in any case.
 */
export function useDrawnRows(total: number, compact: boolean, least: number): number {
  const [drawn, setDrawn] = useState(() => Math.max(rowsOnScreen(compact), least));
  const more = drawn < total;
  useEffect(() => {
    if (more) startTransition(() => setDrawn(drawn + step));
  }, [more, drawn]);
  return Math.min(Math.max(drawn, least), total);
}
