import { useLayoutEffect, useRef } from 'react';
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
  useCut(frame, text, short ? undefined : tail);
  return (
    <Tooltip text={text.length > 18 ? text : ''} repeatsName>
      {short ? (
        <span className={cx('inline-flex max-w-full min-w-0', className)}>
          <span className="truncate">{text}</span>
        </span>
      ) : (
        <span
          ref={frame}
          className={cx(
            'group/cut relative inline-flex max-w-full min-w-0 overflow-hidden whitespace-nowrap',
            className,
          )}
        >
          {/* The whole text sets the width, and is what readers, search and copying find. */}
          <span className="group-data-cut/cut:opacity-0">{text}</span>
          <span aria-hidden className="pointer-events-none absolute inset-y-0 left-0 select-none" />
        </span>
      )}
    </Tooltip>
  );
}

/**
 * Writes the text, shortened to the width of its frame, into the last element of the frame. Not a state of React: an
 * update between layout and paint would run all effects of a new page before its first paint.
 */
function useCut(frame: React.RefObject<HTMLElement | null>, text: string, tail: number | undefined): void {
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element || tail === undefined) return undefined;
    watched.set(element, () => {
      const width = element.clientWidth;
      // Half a pixel may be missing without a visible cut.
      const cut = element.scrollWidth > width + 1 ? cutMiddle(text, width, tail, measureIn(element)) : '';
      return () => {
        element.toggleAttribute('data-cut', cut !== '');
        element.lastElementChild!.textContent = cut; // rendered with the frame
      };
    });
    resized().observe(element);
    return () => {
      resized().unobserve(element);
      watched.delete(element);
    };
  }, [frame, text, tail]);
}

/** Measures a name and returns the function that shows its cut, so that all are measured before the first changes. */
const watched = new WeakMap<Element, () => () => void>();
let observer: ResizeObserver | undefined;

/**
 * One observer for all names. It reports new ones too, after the layout and before the paint, so that a table of names
 * needs no layout for each of them.
 */
function resized(): ResizeObserver {
  observer ??= new ResizeObserver((entries) => {
    const shows = entries.map(({ target }) => watched.get(target)?.());
    for (const show of shows) show?.();
  });
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
