import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

const showAfterMs = 350;
const gap = 6;

interface Props {
  /** Nothing is shown when it is empty. */
  text: ReactNode;
  /** Set when the text repeats the accessible name: screen readers then do not read it twice. */
  repeatsName?: boolean | undefined;
  children: ReactNode;
}

/**
 * Explains the element inside it on hover and on keyboard focus; Esc hides it.
 * Not Base UI's: every page draws hundreds of tooltips, and its popup code would be part of each first load.
 */
export function Tooltip({ text, repeatsName = false, children }: Props) {
  const [open, setOpen] = useState(false);
  const wrap = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const later = (next: boolean, ms: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(next), ms);
  };
  const hide = () => {
    clearTimeout(timer.current);
    setOpen(false);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const hasText = text !== undefined && text !== null && text !== '' && text !== false;
  return (
    <span
      ref={wrap}
      data-tip={hasText || undefined}
      className="contents"
      onPointerEnter={(event) => event.pointerType !== 'touch' && hasText && later(true, showAfterMs)}
      onPointerLeave={() => later(false, 80)}
      onPointerDown={hide}
      onFocus={(event) => hasText && event.target.matches(':focus-visible') && later(true, 0)}
      onBlur={hide}
    >
      {children}
      {open && hasText && (
        <Tip
          wrap={wrap}
          text={text}
          repeatsName={repeatsName}
          onHide={hide}
          onStay={() => clearTimeout(timer.current)}
        />
      )}
    </span>
  );
}

interface TipProps {
  wrap: React.RefObject<HTMLSpanElement | null>;
  text: ReactNode;
  repeatsName: boolean;
  onHide: () => void;
  onStay: () => void;
}

function Tip({ wrap, text, repeatsName, onHide, onStay }: TipProps) {
  const id = useId();
  const tip = useRef<HTMLSpanElement>(null);
  const [at, setAt] = useState<{ left: number; top: number }>();

  useLayoutEffect(() => {
    const anchor = wrap.current?.firstElementChild;
    const box = tip.current;
    if (!anchor || !box) return;
    setAt(place(anchor.getBoundingClientRect(), box.getBoundingClientRect()));
    if (repeatsName || anchor.hasAttribute('aria-describedby')) return;
    anchor.setAttribute('aria-describedby', id);
    return () => anchor.removeAttribute('aria-describedby');
  }, [wrap, id, repeatsName]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      // The first Esc hides the tooltip only; a drawer below stays open.
      event.stopPropagation();
      onHide();
    };
    addEventListener('keydown', onKey, true);
    addEventListener('scroll', onHide, true);
    return () => {
      removeEventListener('keydown', onKey, true);
      removeEventListener('scroll', onHide, true);
    };
  }, [onHide]);

  return createPortal(
    <span
      ref={tip}
      id={id}
      role="tooltip"
      onPointerEnter={onStay}
      className="fixed z-70 w-max max-w-72 rounded-tile bg-tip px-2 py-1 text-12 break-words text-on-tip tabular-nums"
      style={at ?? { left: 0, top: 0, visibility: 'hidden' }}
    >
      {text}
    </span>,
    document.body,
  );
}

function place(anchor: DOMRect, tip: DOMRect) {
  const middle = anchor.left + anchor.width / 2 - tip.width / 2;
  const left = Math.max(8, Math.min(middle, innerWidth - tip.width - 8));
  const above = anchor.top - tip.height - gap;
  return { left, top: above >= 8 ? above : anchor.bottom + gap };
}
