import { useDeferredValue, useEffect } from 'react';

let painted = false;

/**
 * False while the page renders its first screen, then true: heavy parts that come second let the others be seen earlier.
 * Always true on screens that are opened later.
 */
export function useAfterFirstPaint(): boolean {
  const after = useDeferredValue(true, painted);
  useEffect(() => void (painted = true), []);
  return after;
}
