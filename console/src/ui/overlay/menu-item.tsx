import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { BaseUIEvent } from '@base-ui/react/types';
import { useContext, type MouseEvent, type ReactNode } from 'react';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { Kbd } from '#ui/basic/chip.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon, type IconShape } from '#ui/basic/icon.tsx';
import type { MenuEntry } from './menu-entry.ts';

const look =
  'flex h-8.5 w-full cursor-pointer items-center gap-2.5 rounded-control px-2.5 text-left text-13 whitespace-nowrap select-none focus:bg-hover focus-visible:-outline-offset-2 aria-disabled:cursor-default aria-disabled:text-text3 max-sm:h-11 max-sm:text-14 dark:focus:bg-[#222c40] [&_.lucide]:text-text2';

const asButton = { nativeButton: true, render: <button type="button" />, className: look };

/** One line of a menu. `onDone` closes the menu and returns the focus; a checkbox, and an option that says so, leave the menu open. */
export function MenuItem({ entry, onDone }: { entry: MenuEntry; onDone: () => void }) {
  const away = useContext(SavingDisabled);
  const choose = (act?: () => void) => (event: BaseUIEvent<MouseEvent<HTMLElement>>) => {
    // Base UI would focus the item again, and a dialog opened from it could not return the focus to a removed item.
    event.preventBaseUIHandler();
    onDone();
    act?.();
  };
  if (entry === 'line') return <Base.Separator className="my-1.5 h-px bg-line" />;
  if ('heading' in entry) return <div className="px-2.5 pt-2 pb-1 text-12 text-text3">{entry.heading}</div>;
  if ('options' in entry)
    return (
      <Base.RadioGroup aria-label={entry.label} value={entry.value}>
        {entry.options.map((option) => (
          <Base.RadioItem
            {...asButton}
            key={option.value}
            value={option.value}
            onClick={entry.stays ? () => entry.onPick(option.value) : choose(() => entry.onPick(option.value))}
          >
            <Tick on={option.value === entry.value} />
            <Label>{option.label}</Label>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    );
  if ('checked' in entry)
    return (
      <Base.CheckboxItem
        {...asButton}
        checked={entry.checked}
        disabled={entry.disabled ?? false}
        onCheckedChange={entry.onCheck}
      >
        <Tick on={entry.checked} />
        <Label>{entry.label}</Label>
      </Base.CheckboxItem>
    );
  if ('render' in entry)
    return (
      <Base.LinkItem render={entry.render} className={look} onClick={choose()}>
        <Label icon={entry.icon}>{entry.label}</Label>
      </Base.LinkItem>
    );
  return (
    <Base.Item
      {...asButton}
      disabled={entry.disabled || (away && (entry.saves || entry.danger)) || false}
      onClick={choose(entry.onSelect)}
      className={cx(look, entry.danger && 'text-bad [&_.lucide]:text-bad!')}
    >
      <Label icon={entry.icon}>{entry.label}</Label>
      {entry.note && <span className="ml-auto text-12 text-text3">{entry.note}</span>}
      {entry.shortcut && <Kbd className="ml-auto">{entry.shortcut}</Kbd>}
    </Base.Item>
  );
}

const Tick = ({ on }: { on: boolean }) => <span className="size-4 flex-none">{on && <Icon of={Check} />}</span>;

function Label({ icon, children }: { icon?: IconShape | undefined; children: ReactNode }) {
  return (
    <>
      {icon && <Icon of={icon} />}
      <span className="truncate">{children}</span>
    </>
  );
}
