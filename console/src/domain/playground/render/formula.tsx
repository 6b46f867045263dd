import { useLayoutEffect, useRef } from 'react';
import temml from 'temml';

const limits = { maxSize: [20, 500] as [number, number], maxExpand: 500, throwOnError: true, trust: false };
const MOST_SIGNS = 4000;

/** A formula in TeX as MathML; its source if it is no valid formula. */
export function Formula({ text, display = false }: { text: string; display?: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    try {
      if (text.length > MOST_SIGNS) throw new Error('too long');
      temml.render(text, element, { ...limits, displayMode: display });
    } catch {
      element.textContent = text; // not valid, or not complete yet
    }
  }, [text, display]);
  return <span ref={place} className={display ? 'block overflow-x-auto py-1' : undefined} />;
}
