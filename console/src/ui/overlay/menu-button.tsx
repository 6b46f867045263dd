import { lazy, Suspense, useRef, useState, type ReactNode } from 'react';
import { Button, IconButton, type ButtonSize, type ButtonVariant } from '#ui/basic/button.tsx';
import type { IconShape } from '#ui/basic/icon.tsx';
import type { MenuEntries } from './menu-entry.ts';

const loadMenu = () => import('./menu.tsx');
const Menu = lazy(async () => ({ default: (await loadMenu()).Menu }));

interface Props {
  /** Accessible name, and the visible text unless `iconOnly`. */
  label: string;
  icon: IconShape;
  iconOnly?: boolean | undefined;
  /** Read when the menu opens. */
  entries: () => MenuEntries;
  align?: 'start' | 'end' | undefined;
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  disabled?: boolean | undefined;
  className?: string | undefined;
  /** After the label, e.g. a chevron. */
  children?: ReactNode;
}

/** A button that opens a menu; loads the menu's code on first hover, focus or press. */
export function MenuButton({
  label,
  icon,
  iconOnly = true,
  entries,
  align,
  variant,
  size,
  disabled,
  className,
  children,
}: Props) {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const shared = {
    ref: anchor,
    size,
    disabled,
    className,
    'aria-haspopup': 'menu' as const,
    'aria-expanded': open,
    onPointerEnter: () => void loadMenu(),
    onFocus: () => void loadMenu(),
    onClick: () => setOpen((now) => !now),
  };
  return (
    <>
      {iconOnly ? (
        <IconButton
          {...shared}
          label={label}
          icon={icon}
          active={open}
          variant={variant === 'default' ? 'default' : 'ghost'}
        />
      ) : (
        <Button {...shared} icon={icon} variant={variant}>
          {label}
          {children}
        </Button>
      )}
      {open && (
        <Suspense>
          <Menu label={label} anchor={anchor} entries={entries} align={align} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
