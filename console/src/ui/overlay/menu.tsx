import { Menu as Base } from '@base-ui/react/menu';
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import type { MenuEntries } from './menu-entry.ts';
import { MenuItem } from './menu-item.tsx';
import { landmarkOf, popover, withoutGuards } from './overlay.ts';

interface Props {
  /** Accessible name. */
  label: string;
  anchor: RefObject<HTMLElement | null>;
  entries: () => MenuEntries;
  align?: 'start' | 'end' | undefined;
  onClose: () => void;
}

/** An open menu; mount it to open it. `MenuButton` loads it on first use. */
export function Menu({ label, anchor, entries, align = 'end', onClose }: Props) {
  const [landmark] = useState(() => landmarkOf(anchor.current));
  const close = () => {
    // Before anything else opens, so that a dialog opened from an item returns the focus to the button.
    anchor.current?.focus();
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Esc closes the menu but not the dialog around it; Tab moves on from the button.
    event.stopPropagation();
    if (event.key === 'Escape' || event.key === 'Tab') close();
  };
  return (
    <span className={`contents ${withoutGuards}`}>
      <Base.Root open modal={false} onOpenChange={(open) => !open && onClose()}>
        <Base.Portal container={landmark} className="contents">
          <Base.Positioner
            anchor={anchor}
            align={align}
            sideOffset={6}
            collisionPadding={8}
            className={`z-60 ${withoutGuards}`}
          >
            <Base.Popup aria-label={label} onKeyDown={onKeyDown} className={`${popover} max-w-80`}>
              <Items entries={entries()} onDone={close} />
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </span>
  );
}

/** Focuses the first enabled item; without its own trigger, Base UI would focus the menu. */
function Items({ entries, onDone }: { entries: MenuEntries; onDone: () => void }) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current
      ?.querySelector<HTMLElement>('[role^=menuitem]:not([aria-disabled=true])')
      ?.focus({ preventScroll: true });
  }, []);
  return (
    <div ref={list} className="min-w-47">
      {entries.map((entry, index) => entry && <MenuItem key={index} entry={entry} onDone={onDone} />)}
    </div>
  );
}
