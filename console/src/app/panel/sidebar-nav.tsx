import { useEffect, useRef, useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { type FoldId, folds, menuGroups, pathOfFold, type ScreenEntry } from '../menu.ts';
import { useCurrentEntry, useMenu } from '../use-screens.ts';
import { MenuLink, menuRow, menuRowRest } from './menu-link.tsx';
import { menuIcons } from '../menu-icons.ts';

/** The menu with the entries that the user may open; `onChoose` is called when one is followed. */
export function SidebarNav({ onChoose }: { onChoose?: () => void }) {
  const { t } = useTranslation();
  const menu = useMenu();
  const nav = useRef<HTMLElement>(null);
  const current = useCurrentEntry()?.path;
  useEffect(() => {
    if (current !== undefined) nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <nav
      ref={nav}
      aria-label={t('nav.main')}
      // The shade at the end is seen while there is more below: the card's ground above it scrolls with the entries.
      className="min-h-0 flex-1 scroll-py-8 overflow-y-auto bg-[linear-gradient(var(--color-card),var(--color-card)),linear-gradient(transparent,var(--color-line2))] bg-[length:100%_20px] bg-bottom bg-no-repeat px-3 [background-attachment:local,scroll] [scrollbar-width:thin]"
    >
      {menuGroups.map((group) => {
        const entries = menu.filter((entry) => entry.group === group);
        if (entries.length === 0) return null;
        return (
          <section key={group} aria-labelledby={`menu-${group}`}>
            <h2
              id={`menu-${group}`}
              className="px-2 pt-3.5 pb-1.5 text-12 font-normal text-text3 md:[@media(870px<height<=940px)]:pt-2.5 md:[@media(870px<height<=940px)]:pb-1 md:[@media(height<=870px)]:pt-1.5 md:[@media(height<=870px)]:pb-0 [section:first-child>&]:pt-1.5 md:[@media(height<=870px)]:[section:first-child>&]:pt-0"
            >
              {t(`group.${group}`)}
            </h2>
            <ul>
              {rowsOf(entries).map((row) => (
                <li key={row.key} className="mb-px md:[@media(height<=870px)]:mb-0">
                  {row.entry ? (
                    <MenuLink entry={row.entry} onChoose={onChoose} />
                  ) : row.fold ? (
                    <MenuFold id={row.fold.id} entries={row.children} onChoose={onChoose} />
                  ) : (
                    <MenuError text={t('nav.entryError')} />
                  )}
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {menu.some(({ group }) => !menuGroups.includes(group)) && <MenuError text={t('nav.groupError')} />}
    </nav>
  );
}

/** Shows an invalid menu declaration, which would otherwise be missing silently. */
const MenuError = ({ text }: { text: string }) => <p className="px-2 py-1.5 text-13 text-bad">{text}</p>;

type Fold = (typeof folds)[number];
type Row = { key: string; order: number } & (
  | { entry: ScreenEntry }
  | { entry?: never; fold: Fold; children: ScreenEntry[] }
  | { entry?: never; fold?: never }
);

/** Entries in order, with the children of each fold grouped in it. */
function rowsOf(entries: ScreenEntry[]): Row[] {
  const plain = entries
    .filter((entry) => !entry.parent)
    .map((entry) => ({ key: entry.path, order: entry.order, entry }));
  const folded = folds.flatMap((fold): Row[] => {
    const children = entries.filter((entry) => entry.parent === fold.id);
    const [entry] = children;
    if (!entry) return [];
    // A fold of one entry would only hide it.
    if (children.length === 1) return [{ key: entry.path, order: fold.order, entry }];
    return [{ key: fold.id, order: fold.order, fold, children }];
  });
  const astray = entries
    .filter(({ parent }) => parent && folds.every(({ id }) => id !== parent))
    .map(({ path, order }) => ({ key: path, order }));
  return [...plain, ...folded, ...astray].toSorted((a, b) => a.order - b.order);
}

interface Props {
  id: FoldId;
  entries: ScreenEntry[];
  onChoose: (() => void) | undefined;
}

/** An entry with a fold of further entries; opening it leads to the first of them, unless it has no path. */
function MenuFold({ id, entries, onChoose }: Props) {
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
