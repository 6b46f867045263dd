import { Check } from 'lucide-react';
import { cloneElement, useContext, type PointerEvent, type ReactNode } from 'react';
import { CannotSave } from '#ui/form/cannot-save.ts';
import { Kbd } from '#ui/basic/chip.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon, type IconShape } from '#ui/basic/icon.tsx';
import type { MenuEntry } from './menu-entry.ts';

const look =
  'flex h-8.5 w-full cursor-pointer items-center gap-2.5 rounded-control px-2.5 text-left text-13 whitespace-nowrap select-none focus:bg-hover focus-visible:-outline-offset-2 aria-disabled:cursor-default aria-disabled:text-text3 max-sm:h-11 max-sm:text-14 dark:focus:bg-[#222c40] [&_.lucide]:text-text2';

/** As in the system's menus, what the pointer is on has the focus. */
const follow = (event: PointerEvent<HTMLElement>) => event.currentTarget.focus({ preventScroll: true });

/** One line of a menu. `onDone` closes it and gives the focus back; ticking a checkbox leaves it open. */
export function MenuItem({ entry, onDone }: { entry: MenuEntry; onDone: () => void }) {
  const away = useContext(CannotSave);
  if (entry === 'line') return <div role="separator" className="my-1.5 h-px bg-line" />;
  if ('heading' in entry) return <div className="px-2.5 pt-2 pb-1 text-12 text-text3">{entry.heading}</div>;
  if ('options' in entry) return <Options entry={entry} onDone={onDone} />;
  if ('checked' in entry)
    return (
      <Line
        role="menuitemcheckbox"
        checked={entry.checked}
        disabled={entry.disabled}
        onClick={() => entry.onCheck(!entry.checked)}
      >
        {entry.label}
      </Line>
    );
  if ('render' in entry)
    return cloneElement(entry.render, {
      role: 'menuitem',
      tabIndex: -1,
      className: look,
      onClick: onDone,
      onPointerMove: follow,
      children: <Words icon={entry.icon}>{entry.label}</Words>,
    });
  const choose = () => {
    onDone();
    entry.onSelect();
  };
  return (
    <Line
      role="menuitem"
      disabled={entry.disabled || (away && (entry.saves || entry.danger))}
      danger={entry.danger}
      onClick={choose}
    >
      <Words icon={entry.icon}>{entry.label}</Words>
      {entry.note && <span className="ml-auto text-12 text-text3">{entry.note}</span>}
      {entry.shortcut && <Kbd className="ml-auto">{entry.shortcut}</Kbd>}
    </Line>
  );
}

function Options({ entry, onDone }: { entry: Extract<MenuEntry, { options: unknown }>; onDone: () => void }) {
  return (
    <div role="group" aria-label={entry.label}>
      {entry.options.map((option) => (
        <Line
          key={option.value}
          role="menuitemradio"
          checked={option.value === entry.value}
          onClick={() => {
            onDone();
            entry.onPick(option.value);
          }}
        >
          {option.label}
        </Line>
      ))}
    </div>
  );
}

interface LineProps {
  role: 'menuitem' | 'menuitemcheckbox' | 'menuitemradio';
  checked?: boolean;
  disabled?: boolean | undefined;
  danger?: boolean | undefined;
  onClick: () => void;
  children: ReactNode;
}

function Line({ role, checked, disabled, danger, onClick, children }: LineProps) {
  return (
    <button
      type="button"
      role={role}
      tabIndex={-1}
      aria-checked={checked}
      aria-disabled={disabled ? true : undefined}
      onClick={disabled ? undefined : onClick}
      onPointerMove={follow}
      className={cx(look, danger && 'text-bad [&_.lucide]:text-bad!')}
    >
      {checked !== undefined && <span className="size-4 flex-none">{checked && <Icon of={Check} />}</span>}
      {checked === undefined ? children : <Words>{children}</Words>}
    </button>
  );
}

function Words({ icon, children }: { icon?: IconShape | undefined; children: ReactNode }) {
  return (
    <>
      {icon && <Icon of={icon} />}
      <span className="truncate">{children}</span>
    </>
  );
}
