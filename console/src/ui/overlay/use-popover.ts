import { useEffect, useLayoutEffect, type RefObject } from 'react';
import { useLatest } from '#ui/basic/use-latest.ts';

const gap = 6;
const edge = 8;

interface Options {
  box: RefObject<HTMLElement | null>;
  anchor: RefObject<HTMLElement | null>;
  align: 'start' | 'end';
  /** Press elsewhere, scrolling or another window size. */
  onOutside: () => void;
}

/**
 * Shows an element with `popover="manual"` beside its anchor: in the browser's top layer, where nothing clips it,
 * and in its place in the document, where readers expect it.
 */
export function usePopover({ box, anchor, align, onOutside }: Options): void {
  const outside = useLatest(onOutside);
  useLayoutEffect(() => {
    if (!box.current || !anchor.current) return;
    box.current.showPopover();
    place(box.current, anchor.current.getBoundingClientRect(), align);
  }, [box, anchor, align]);
  useEffect(() => {
    const onEvent = (event: Event) => {
      const target = event.target;
      if (target instanceof Node && (box.current?.contains(target) || anchor.current?.contains(target))) return;
      outside.current();
    };
    addEventListener('pointerdown', onEvent, true);
    addEventListener('scroll', onEvent, true);
    addEventListener('resize', onEvent);
    return () => {
      removeEventListener('pointerdown', onEvent, true);
      removeEventListener('scroll', onEvent, true);
      removeEventListener('resize', onEvent);
    };
  }, [box, anchor, outside]);
}

function place(box: HTMLElement, anchor: DOMRect, align: 'start' | 'end'): void {
  box.style.minWidth = `${anchor.width}px`;
  const { width, height } = box.getBoundingClientRect();
  const left = align === 'end' ? anchor.right - width : anchor.left;
  const below = anchor.bottom + gap;
  const above = anchor.top - gap - height;
  const top = below + height <= innerHeight - edge || above < edge ? below : above;
  box.style.left = `${Math.max(edge, Math.min(left, innerWidth - width - edge))}px`;
  box.style.top = `${Math.max(edge, Math.min(top, innerHeight - height - edge))}px`;
}
