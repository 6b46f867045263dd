import { useLayoutEffect, type RefObject } from 'react';

/**
 * Focuses the element that replaced the focused one, and repeats on it the event that asked for it, so that it acts as
 * if it had been there already.
 */
export function useRepeatedEvent(element: RefObject<HTMLElement | null>, event: Event): void {
  useLayoutEffect(() => {
    // The focus is elsewhere when the user went on while the element was loading.
    if (document.activeElement !== document.body) return undefined;
    element.current?.focus();
    // Base UI registers the options in a timeout after the focus.
    const timer = setTimeout(() => element.current?.dispatchEvent(copyOf(event)));
    return () => clearTimeout(timer);
  }, [element, event]);
}

const copyOf = (event: Event): Event =>
  event instanceof KeyboardEvent ? new KeyboardEvent(event.type, event) : new PointerEvent(event.type, event);
