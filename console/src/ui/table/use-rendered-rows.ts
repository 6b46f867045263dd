import { startTransition, useEffect, useState } from 'react';

/** Minimum height of a row, and the height above the first row, in pixels. */
const heights = { compact: 36, comfortable: 44, above: 200 };
const step = 16;

/** Upper bound of the rows that fit on the screen. */
export const rowsOnScreen = (compact: boolean): number =>
  Math.ceil((innerHeight - heights.above) / (compact ? heights.compact : heights.comfortable));

/**
 * Number of rows to render: first those that fill the screen, then the others in small steps, so
 * that the page is visible and responsive early. At least `least`.
 */
export function useRenderedRows(total: number, compact: boolean, least: number): number {
  const [drawn, setDrawn] = useState(() => Math.max(rowsOnScreen(compact), least));
  const more = drawn < total;
  useEffect(() => {
    if (more) startTransition(() => setDrawn(drawn + step));
  }, [more, drawn]);
  return Math.min(Math.max(drawn, least), total);
}
