import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { useRouter } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { atBase } from '#base-path.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Kbd } from '#ui/basic/chip.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { popupMotion, scrim } from '#ui/overlay/overlay.ts';
import { PaletteList, optionId } from './palette-list.tsx';
import { plain, type PaletteGroup, type PaletteItem } from './palette-item.ts';
import { recentItems, rememberItem } from './recent-items.ts';
import { useActions } from './use-actions.ts';
import { useRecordSearch } from './use-record-search.tsx';
import { usePages } from './use-pages.ts';
import { useSettings } from './use-settings.ts';
import { useDebounced } from './use-debounced.ts';

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
