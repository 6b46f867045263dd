import { useCallback, useRef, useState } from 'react';
import { useAfterFirstPaint } from '#ui/basic/use-after-first-paint.ts';

const step = 40;
/** Rows in the first paint of the page; they fill a screen. */
const atFirst = 20;

/**
 * Number of rows to render: a first batch, and more as the user scrolls to `sentinel`, which belongs on the element
 * after the last row. Starts again when `of` changes.
 */
export function useIncrementalRows(
  of: unknown,
  total: number,
): { shown: number; sentinel: (element: Element | null) => void } {
  const started = useAfterFirstPaint();
  const [grown, setGrown] = useState({ of, count: step });
  // Reset during render: an effect would first render as many new rows as there were old ones.
  if (grown.of !== of) setGrown({ of, count: step });
  const observer = useRef<IntersectionObserver>(undefined);
  const sentinel = useCallback(
    (element: Element | null) => {
      observer.current?.disconnect();
      if (!element || !started) return;
      observer.current = new IntersectionObserver(
        ([entry]) => entry?.isIntersecting && setGrown((now) => ({ ...now, count: now.count + step })),
        { rootMargin: '1200px' },
      );
      observer.current.observe(element);
    },
    [started],
  );
  return { shown: Math.min(started ? grown.count : atFirst, total), sentinel };
}
