import { useEffect } from 'react';
import { useLatest } from '#ui/basic/use-latest.ts';

const mac = /mac|iphone|ipad/i.test(navigator.userAgent);
export const undoKey = mac ? '⌘Z' : 'Ctrl Z';

/** Undo callbacks of the visible toasts, oldest first. */
const offers: (() => void)[] = [];

function onKey(event: KeyboardEvent): void {
  if (event.key.toLowerCase() !== 'z' || !(mac ? event.metaKey : event.ctrlKey) || event.shiftKey || event.altKey)
    return;
  // In a text field the shortcut undoes typing.
  if (event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]')) return;
  // Key repeat: holding the key is one press.
  if (event.repeat) return event.preventDefault();
  const newest = offers.at(-1);
  if (!newest) return;
  event.preventDefault();
  newest();
}

/** ⌘Z and Ctrl+Z undo the latest change while its toast is visible: a toast is far from the keyboard focus. */
export function useUndoKey(undo: (() => void) | undefined): void {
  const latest = useLatest(undo);
  const isOffered = undo !== undefined;
  useEffect(() => {
    if (!isOffered) return;
    const offer = () => latest.current?.();
    if (offers.push(offer) === 1) addEventListener('keydown', onKey);
    return () => {
      offers.splice(offers.indexOf(offer), 1);
      if (offers.length === 0) removeEventListener('keydown', onKey);
    };
  }, [isOffered, latest]);
}
