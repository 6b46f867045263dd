import { useLayoutEffect, useRef, type KeyboardEvent, type RefObject } from 'react';
import type { MenuEntries } from './menu-entry.ts';
import { MenuItem } from './menu-item.tsx';
import { popover } from './overlay.ts';
import { usePopover } from './use-popover.ts';

interface Props {
  /** Accessible name. */
  label: string;
  anchor: RefObject<HTMLElement | null>;
  entries: () => MenuEntries;
  align?: 'start' | 'end' | undefined;
  onClose: () => void;
}

/** The open menu; mount it to open it. Use `MenuButton`, which loads it when first wanted. */
export function Menu({ label, anchor, entries, align = 'end', onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null);
  usePopover({ box: menu, anchor, align, onOutside: onClose });
  useLayoutEffect(() => {
    if (menu.current) items(menu.current)[0]?.focus({ preventScroll: true });
  }, []);
  const leave = () => {
    // First, so that a dialog opened from here knows where to give the focus back.
    anchor.current?.focus();
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    event.stopPropagation();
    if (event.key === 'Tab') return onClose();
    if (event.key === 'Escape') leave();
    else if (!walk(event.currentTarget, event.key)) return;
    event.preventDefault();
  };
  return (
    <div
      ref={menu}
      popover="manual"
      role="menu"
      aria-label={label}
      onKeyDown={onKeyDown}
      className={`${popover} max-w-80`}
    >
      <div className="min-w-47">
        {entries().map((entry, index) => entry && <MenuItem key={index} entry={entry} onDone={leave} />)}
      </div>
    </div>
  );
}

const items = (menu: Element): HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role^=menuitem]:not([aria-disabled=true])'),
];

/** Moves the focus for arrows, Home, End and the first letters of a name; false when the key means none of these. */
function walk(menu: Element, key: string): boolean {
  const all = items(menu);
  const now = all.findIndex((item) => item === document.activeElement);
  const target = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 }[key];
  if (target !== undefined) {
    all.at(target >= all.length ? 0 : target)?.focus();
    return true;
  }
  if (key.length !== 1 || key === ' ') return false;
  const rotated = [...all.slice(now + 1), ...all.slice(0, now + 1)];
  rotated.find((item) => item.textContent.trim().toLowerCase().startsWith(key.toLowerCase()))?.focus();
  return true;
}
