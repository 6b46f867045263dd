import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';

export const paletteKey = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

const importShortcuts = () => import('../palette/shortcuts.ts');
let shortcuts: ReturnType<typeof importShortcuts> | undefined;

/** One load for all keys: a second one could be over before the first, and turn their order around. */
const loadShortcuts = (): ReturnType<typeof importShortcuts> =>
  (shortcuts ??= importShortcuts().catch((error: unknown) => {
    shortcuts = undefined;
    throw error;
  }));

/** Opens the palette with ⌘K or Ctrl+K, and handles the shortcuts of a single key. */
export function usePanelKeys(onPalette: () => void, onSheet: () => void): void {
  const router = useRouter();
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, target } = event;
    if (event.altKey || event.defaultPrevented) return;
    if (event.metaKey || event.ctrlKey) {
      if (key.toLowerCase() !== 'k' || event.shiftKey) return;
      event.preventDefault();
      onPalette();
    } else if (/^[a-z/?]$/.test(key) && !isTaken(target)) {
      // Otherwise the slash would be typed into the field that it focuses, and a browser would search the page.
      if (key === '/') event.preventDefault();
      void loadShortcuts().then(({ press }) => press(key, { router, onSheet }));
    }
  });
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Whether the focused element uses letters itself. */
const isTaken = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]',
  ) !== null;
