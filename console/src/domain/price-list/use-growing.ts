import { useCallback, useRef, useState } from 'react';

const step = 40;

/**
 * How many of many rows are drawn: the first ones, and more as the reader nears their end; starts again when `of`
 * changes. Put `sentinel` on the element after the last row. A list of a thousand models is then as quick as a short one.
 */
export function useGrowing(of: unknown, total: number): { shown: number; sentinel: (element: Element | null) => void } {
  const [grown, setGrown] = useState({ of, count: step });
  // Drawn with the new rows at once: an effect would first draw as many of them as there were of the old ones.
  if (grown.of !== of) setGrown({ of, count: step });
  const observer = useRef<IntersectionObserver>(undefined);
  const sentinel = useCallback((element: Element | null) => {
    observer.current?.disconnect();
    if (!element) return;
    observer.current = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && setGrown((now) => ({ ...now, count: now.count + step })),
      { rootMargin: '1200px' },
    );
    observer.current.observe(element);
  }, []);
  return { shown: Math.min(grown.count, total), sentinel };
}
