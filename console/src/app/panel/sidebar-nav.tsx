import { useTranslation } from '#i18n/use-translation.ts';
import { folds, menuGroups, type ScreenEntry } from '../menu.ts';
import { useMenu } from '../use-screens.ts';
import { MenuFold } from './menu-fold.tsx';
import { MenuLink } from './menu-link.tsx';

/** The menu with the entries that the user may open; `onChoose` is called when one is followed. */
export function SidebarNav({ onChoose }: { onChoose?: () => void }) {
  const { t } = useTranslation();
  const menu = useMenu();
  return (
    <nav aria-label={t('nav.main')} className="min-h-0 flex-1 overflow-y-auto px-3 [scrollbar-width:thin]">
      {menuGroups.map((group) => {
        const entries = menu.filter((entry) => entry.group === group);
        if (entries.length === 0) return null;
        return (
          <section key={group} aria-labelledby={`menu-${group}`}>
            <h2
              id={`menu-${group}`}
              className="px-2 pt-3.5 pb-1.5 text-12 font-normal text-text3 md:[@media(max-height:900px)]:pt-2.5 md:[@media(max-height:900px)]:pb-1 [section:first-child>&]:pt-1.5"
            >
              {t(`group.${group}`)}
            </h2>
            <ul>
              {rowsOf(entries).map((row) => (
                <li key={row.key} className="mb-px">
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
