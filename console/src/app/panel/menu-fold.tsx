import { useNavigate } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { menuIcons } from '../menu-icons.ts';
import { pathOfFold, type FoldId, type ScreenEntry } from '../menu.ts';
import { useCurrentEntry } from '../use-screens.ts';
import { MenuLink, menuRow, menuRowRest } from './menu-link.tsx';

interface Props {
  id: FoldId;
  entries: ScreenEntry[];
  onChoose: (() => void) | undefined;
}

/** An entry with a fold of further entries; opening it leads to the first of them, unless it has no path. */
export function MenuFold({ id, entries, onChoose }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const current = useCurrentEntry()?.parent === id;
  // Until clicked, it is open if it contains the current screen.
  const [pressed, setPressed] = useState<boolean>();
  const open = pressed ?? current;
  const path = pathOfFold(id, entries);

  const toggle = () => {
    setPressed(!open);
    if (!open && !current && path !== undefined) void navigate({ to: path });
  };
  return (
    <>
      <button type="button" aria-expanded={open} onClick={toggle} className={cx(menuRow, menuRowRest)}>
        <Icon of={menuIcons[id]} size={18} />
        <span className="flex-1 truncate">{t(`menu.${id}`)}</span>
        <Icon of={ChevronDown} size={14} className={cx('transition-transform', open && 'rotate-180')} />
      </button>
      {open && (
        <ul className="pt-px">
          {entries.map((entry) => (
            <li key={entry.path} className="mb-px">
              <MenuLink entry={entry} sub onChoose={onChoose} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
