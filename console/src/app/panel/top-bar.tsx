import { Menu, PanelLeft, Search } from 'lucide-react';
import type { Ref } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Kbd } from '#ui/basic/chip.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { useIsNarrow } from '#ui/basic/use-media.ts';
import { AppearanceMenu } from '../appearance-menu.tsx';
import { AvatarMenu } from '../avatar-menu.tsx';
import { Brand } from '../brand.tsx';
import { LanguageMenu } from '../language-menu.tsx';
import { NoticeBell } from '../notice/notice-bell.tsx';
import { useCurrentEntry } from '../use-screens.ts';
import { Breadcrumb } from './breadcrumb.tsx';
import { ChatMenu } from './chat-menu.tsx';
import { paletteKey } from './use-panel-keys.ts';

interface Props {
  ref: Ref<HTMLButtonElement>;
  menuShown: boolean;
  onMenu: () => void;
  onSearch: () => void;
  /** Called on hover or focus of the search, to preload the palette. */
  onSearchHover: () => void;
}

export function TopBar(props: Props) {
  const narrow = useIsNarrow();
  return (
    <header className="sticky top-0 z-30 flex h-14 flex-none items-center gap-1 border-b border-line bg-card px-6 max-md:pr-2 max-md:pl-2 print:hidden">
      {narrow ? <NarrowBar {...props} /> : <WideBar {...props} />}
    </header>
  );
}

function WideBar({ ref, menuShown, onMenu, onSearch, onSearchHover }: Props) {
  const { t } = useTranslation();
  return (
    <>
      {/* Otherwise the sidebar has both. */}
      {!menuShown && (
        <>
          <Brand className="mr-1 max-w-48 text-16" />
          <IconButton
            ref={ref}
            label={t('nav.expand')}
            icon={PanelLeft}
            aria-expanded={false}
            onClick={onMenu}
            className="mr-2"
          />
        </>
      )}
      <Breadcrumb />
      <span className="flex-1" />
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Meta+K Control+K"
        onClick={onSearch}
        onPointerEnter={onSearchHover}
        onFocus={onSearchHover}
        className="mr-2 flex h-8.5 w-62 min-w-0 items-center gap-2 rounded-control border border-line2 bg-card pr-2 pl-2.5 text-13 text-text3 transition-colors hover:bg-hover"
      >
        <Icon of={Search} />
        <span className="flex-1 truncate text-left">{t('nav.search')}</span>
        <Kbd>{paletteKey}</Kbd>
      </button>
      <ChatMenu />
      <NoticeBell live />
      <AppearanceMenu />
      <LanguageMenu />
      <AvatarMenu />
    </>
  );
}

function NarrowBar({ ref, menuShown, onMenu, onSearch, onSearchHover }: Props) {
  const { t } = useTranslation();
  const entry = useCurrentEntry();
  return (
    <>
      <IconButton
        ref={ref}
        label={t('nav.open')}
        icon={Menu}
        aria-haspopup="dialog"
        aria-expanded={menuShown}
        onClick={onMenu}
      />
      <span className="ml-1 min-w-0 flex-1 truncate text-[17px]/6 font-title">
        {entry && t(`menu.${entry.titleKey}`)}
      </span>
      <IconButton
        label={t('nav.search')}
        icon={Search}
        aria-haspopup="dialog"
        onClick={onSearch}
        onPointerEnter={onSearchHover}
      />
      <ChatMenu />
      <NoticeBell live />
      <AvatarMenu />
    </>
  );
}
