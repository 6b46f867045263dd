import { Dialog } from '@base-ui/react/dialog';
import { History, House, Search, Settings } from 'lucide-react';
import { useRouter } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { atBase } from '#base-path.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Kbd } from '#ui/basic/chip.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { popupMotion, scrim } from '#ui/overlay/overlay.ts';
import { currentUser, useSession } from '#api/session.ts';
import { storage } from '#api/storage.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { i18n } from '#i18n/t.ts';
import { optionId, PaletteList } from './palette-list.tsx';
import { matches, type PaletteGroup, type PaletteItem, plain, ranked } from './palette-item.ts';
import { useActions } from './use-actions.ts';
import { useRecordSearch } from './use-record-search.tsx';
import { menuGroups } from '../menu.ts';
import { menuIcons } from '../menu-icons.ts';
import { useMenu } from '../use-screens.ts';

const storageKey = 'palette';
const most = 5;

type Kept = Required<Pick<PaletteItem, 'id' | 'title' | 'note' | 'to'>>;

/** A browser can be shared: each user has their own entries. */
interface Stored {
  user: number;
  items: Kept[];
}

const isKept = (item: unknown): item is Kept =>
  typeof item === 'object' &&
  item !== null &&
  ['id', 'title', 'note', 'to'].every((name) => typeof Reflect.get(item, name) === 'string') &&
  String(Reflect.get(item, 'to')).startsWith('/');

function kept(): Kept[] {
  try {
    const stored = JSON.parse(storage.get(storageKey) ?? '{}') as Partial<Stored>; // checked below
    return stored.user === currentUser()?.id && Array.isArray(stored.items) ? stored.items.filter(isKept) : [];
  } catch {
    // Written by something else: nothing is remembered.
    return [];
  }
}

/** The items that this user chose last, newest first. */
const recentItems = (): PaletteItem[] => kept().map((item) => ({ ...item, icon: History, id: `recent ${item.id}` }));

/** Remembers a chosen item that leads somewhere. */
function rememberItem({ id, title, note = '', to }: PaletteItem): void {
  const user = currentUser()?.id;
  if (to === undefined || user === undefined) return;
  const plainId = id.replace(/^recent /, '');
  const items = [{ id: plainId, title, note, to }, ...kept().filter((item) => item.id !== plainId)].slice(0, most);
  storage.set(storageKey, JSON.stringify({ user, items } satisfies Stored));
}

const settleMs = 180;

interface Props {
  /** Opens the sheet of keyboard shortcuts. */
  onKeys: () => void;
  onClose: () => void;
}

/** The command palette: navigation, search and global actions. Mount it to open it. */
export function Palette({ onKeys, onClose }: Props) {
  const { t } = useTranslation('palette');
  const { history } = useRouter();
  const [open, setOpen] = useState(true);
  // Actions run after the palette has closed, which would otherwise take the focus back.
  const [chosen, setChosen] = useState<PaletteItem>();
  const choose = (item: PaletteItem) => {
    if (item.off) return;
    setChosen(item);
    setOpen(false);
  };
  const onGone = () => {
    onClose();
    if (!chosen) return;
    rememberItem(chosen);
    if (chosen.to === undefined) chosen.run?.();
    else history.push(atBase(chosen.to));
  };
  return (
    <Dialog.Root open={open} onOpenChange={setOpen} onOpenChangeComplete={(now) => !now && onGone()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={scrim} />
        <Dialog.Popup
          className={cx(
            'floating fixed top-[12dvh] left-1/2 z-50 flex max-h-[70dvh] w-150 max-w-[calc(100vw-32px)] -translate-x-1/2 flex-col overflow-hidden rounded-card shadow-dialog outline-none max-sm:top-2 max-sm:max-h-[calc(100dvh-16px)]',
            popupMotion,
          )}
        >
          <Dialog.Title className="sr-only">{t('title')}</Dialog.Title>
          <Finder onKeys={onKeys} onChoose={choose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ onKeys, onChoose }: Pick<Props, 'onKeys'> & { onChoose: (item: PaletteItem) => void }) {
  const { t } = useTranslation('palette');
  const [recent] = useState(recentItems);
  const [text, setText] = useState('');
  const [picked, setPicked] = useState<string>();
  const typed = useDeferredValue(text.trim());
  const { groups: found, searching } = useRecordSearch(useDebounced(typed, settleMs));
  const isExact = ({ items: some }: PaletteGroup) =>
    typed !== '' && some.some(({ title }) => plain(title) === plain(typed));
  const pages = usePages(typed);
  const actions = useActions(typed, onKeys);
  const groups = [
    { title: t('recent'), items: typed === '' ? recent : [] },
    ...(typed === '' ? [actions, pages] : [pages, actions]),
    ...found,
    useSettings(typed),
  ]
    .filter(({ items: some }) => some.length > 0)
    .toSorted((a, b) => Number(isExact(b)) - Number(isExact(a)));
  const items = groups.flatMap((group) => group.items);
  const active = items.find(({ id }) => id === picked) ?? items[0];

  const step = (by: number) => {
    const at = items.findIndex((item) => item === active);
    setPicked(items.at((at + by) % items.length)?.id);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else if (event.key === 'Enter' && active) onChoose(active);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="flex h-13 flex-none items-center gap-3 border-b border-line px-4">
        <Icon of={Search} size={18} className="text-text3" />
        <input
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setPicked(undefined);
          }}
          onKeyDown={onKeyDown}
          role="combobox"
          aria-expanded
          aria-autocomplete="list"
          aria-controls="palette-list"
          aria-activedescendant={active && optionId(active)}
          aria-label={t('title')}
          placeholder={t('placeholder')}
          autoComplete="off"
          spellCheck={false}
          className="min-w-0 flex-1 bg-transparent text-16 text-ellipsis outline-none"
        />
        <Kbd>esc</Kbd>
      </div>
      <PaletteList groups={groups} active={active} onPoint={(item) => setPicked(item.id)} onChoose={onChoose} />
      <p role="status" className={cx('flex-none px-4', items.length === 0 ? 'py-8 text-center text-text2' : 'sr-only')}>
        {items.length > 0
          ? t('results', { count: items.length })
          : searching
            ? t('searching')
            : t('none', { text: typed })}
      </p>
      <p className="flex-none border-t border-line px-4 py-2 text-12 text-text3 max-sm:hidden">{t('hint')}</p>
    </>
  );
}

/** Debounces a value, so that not every key sends a request. */
function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Screens whose name or address matches. */
function usePages(typed: string): PaletteGroup {
  const { t } = useTranslation(['app', 'palette']);
  const screens = useMenu()
    .toSorted((a, b) => menuGroups.indexOf(a.group) - menuGroups.indexOf(b.group))
    .map(({ path, titleKey, group }) => ({
      path,
      icon: menuIcons[titleKey],
      title: t(`menu.${titleKey}`),
      note: t(`group.${group}`),
    }));
  const all = [...screens, { path: '/', icon: House, title: t('palette:goHome'), note: '' }];
  const found = all
    .filter(({ path, title }) => matches(typed, title, path))
    .map((record) => ({ record, name: record.title, fields: [] }));
  const items = (typed === '' ? found : ranked(typed, found))
    .map(({ record }) => record)
    .map(({ path, ...shown }) => ({ ...shown, id: `page ${path}`, to: path }));
  return { title: t('palette:pages'), items };
}

/** Settings by name and key, for those who may change them; their names load with the first typed letter. */
function useSettings(typed: string): PaletteGroup {
  const { t } = useTranslation('palette');
  const { isRoot } = useSession();
  const { data = [] } = useQuery({
    queryKey: ['palette', 'settings', i18n.language],
    queryFn: async () => {
      const [{ settingGroups }] = await Promise.all([
        import('#screens/panel/setting/setting-groups.ts'),
        loadTexts('setting', 'settingNames'),
      ]);
      const name = i18n.translator(['settingNames', 'setting']);
      return settingGroups.flatMap(({ id, fields }) =>
        fields.map(({ key }) => ({ key, name: name(key), group: name(`setting:groups.${id}`) })),
      );
    },
    staleTime: Infinity,
    enabled: isRoot && typed !== '',
  });
  const found = data
    .filter(({ key, name, group }) => typed !== '' && matches(typed, name, key, group))
    .map((record) => ({ record, name: record.name, fields: [['', record.key] as const] }));
  const items = ranked(typed, found)
    .slice(0, most)
    .map(({ record: { key, name, group } }) => ({
      id: `setting ${key}`,
      icon: Settings,
      title: name,
      note: group,
      to: `/panel/setting?${new URLSearchParams({ q: key })}`,
    }));
  return { title: t('settings'), items };
}
