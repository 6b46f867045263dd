import { useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { cutMiddle } from './cut-middle.ts';
import { cx } from './cx.ts';

interface Props {
  text: string;
  /** Number of characters at the end that are always shown. */
  tail?: number | undefined;
  className?: string | undefined;
}

/** A name that is shortened in the middle, since its end distinguishes it; the tooltip has the full name. */
export function MiddleCut({ text, tail = 10, className }: Props) {
  const frame = useRef<HTMLSpanElement>(null);
  const short = text.length <= tail * 2;
  const cut = useCut(frame, text, short ? undefined : tail);
  return (
    <Tooltip text={text.length > 18 ? text : ''} repeatsName>
      {short ? (
        <span className={cx('inline-flex max-w-full min-w-0', className)}>
          <span className="truncate">{text}</span>
        </span>
      ) : (
        <span
          ref={frame}
          className={cx('relative inline-flex max-w-full min-w-0 overflow-hidden whitespace-nowrap', className)}
        >
          {/* The whole text sets the width, and is what readers, search and copying find. */}
          <span className={cx(cut !== undefined && 'opacity-0')}>{text}</span>
          {cut !== undefined && (
            <span aria-hidden className="pointer-events-none absolute inset-y-0 left-0 select-none">
              {cut}
            </span>
          )}
        </span>
      )}
    </Tooltip>
  );
}

/** The text shortened to its element's width; undefined while it fits, or without `tail`. */
function useCut(frame: React.RefObject<HTMLElement | null>, text: string, tail: number | undefined) {
  const [cut, setCut] = useState<string>();
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element || tail === undefined) return undefined;
    const fit = () => {
      // Half a pixel may be missing without a visible cut.
      const isCut = element.scrollWidth > element.clientWidth + 1;
      setCut(isCut ? cutMiddle(text, element.clientWidth, tail, measureIn(element)) : undefined);
    };
    watched.set(element, fit);
    resized().observe(element);
    return () => {
      resized().unobserve(element);
      watched.delete(element);
    };
  }, [frame, text, tail]);
  return cut;
}

const watched = new WeakMap<Element, () => void>();
let observer: ResizeObserver | undefined;

/**
 * One observer for all names. It reports new ones too, after the layout and before the paint, so that a table of names
 * needs no layout for each of them.
 */
function resized(): ResizeObserver {
  observer ??= new ResizeObserver((entries) =>
    flushSync(() => {
      for (const { target } of entries) watched.get(target)?.();
    }),
  );
  return observer;
}

let canvas: CanvasRenderingContext2D | null | undefined;

function measureIn(element: Element): (text: string) => number {
  canvas ??= document.createElement('canvas').getContext('2d');
  const context = canvas;
  if (!context) return (text) => text.length * 8;
  context.font = getComputedStyle(element).font;
  return (text) => context.measureText(text).width;
}
