import { AppWindow, ExternalLink, LayoutDashboard, Menu, MessagesSquare, PanelLeft, Search } from 'lucide-react';
import type { Ref } from 'react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Kbd } from '#ui/basic/chip.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { useIsNarrow } from '#ui/basic/use-media.ts';
import { useChatLinks } from '#api/use-chat-links.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { AppearanceMenu } from '../appearance-menu.tsx';
import { AvatarMenu } from '../avatar-menu.tsx';
import { Brand } from '../brand.tsx';
import { LanguageMenu } from '../language-menu.tsx';
import { NoticeBell } from '../notice/notice-bell.tsx';
import { useCurrentEntry, useCurrentTitle } from '../use-screens.ts';
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
  const current = useCurrentTitle();
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
      <span className="ml-1 min-w-0 flex-1 truncate text-[17px]/6 font-title">{current?.title}</span>
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

/** Dashboard, group of the screen, screen. */
function Breadcrumb() {
  const { t } = useTranslation();
  const entry = useCurrentEntry();
  const current = useCurrentTitle();
  const isHome = entry?.path === '/panel/dashboard';
  return (
    <nav aria-label={t('nav.breadcrumb')} className="min-w-0">
      <ol className="flex items-center gap-1.5 text-13 whitespace-nowrap text-text3">
        <li>
          <Link
            to="/panel"
            activeOptions={{ exact: true }}
            aria-label={t('menu.dashboard')}
            className="grid size-6 place-items-center rounded-tile hover:text-text"
          >
            <Icon of={LayoutDashboard} />
          </Link>
        </li>
        {entry && !isHome && <Step text={t(`group.${entry.group}`)} />}
        {entry?.parent && <Step text={t(`menu.${entry.parent}`)} />}
        {current?.above && <Step text={t(`menu.${current.above.titleKey}`)} to={current.above.path} />}
        {current && <Step text={current.title} current />}
      </ol>
    </nav>
  );
}

function Step({ text, current = false, to }: { text: string; current?: boolean; to?: string }) {
  return (
    <li className="flex min-w-0 items-center gap-1.5">
      <span aria-hidden>/</span>
      <span {...(current && { 'aria-current': 'page' as const, className: 'truncate font-title text-text' })}>
        {to === undefined ? (
          text
        ) : (
          <Link to={to} className="hover:text-text">
            {text}
          </Link>
        )}
      </span>
    </li>
  );
}

/** The chat clients that the operator offers; nothing without one. */
function ChatMenu() {
  const { t } = useTranslation();
  const links = useChatLinks();
  if (links.length === 0) return null;
  return (
    <MenuButton
      label={t('menu.chat')}
      icon={MessagesSquare}
      variant="ghost"
      align="end"
      entries={() => [
        { heading: t('menu.chat') },
        ...links.map(({ name, embed }) => ({
          label: name,
          icon: embed ? AppWindow : ExternalLink,
          render: <Link to="/panel/chat" search={{ client: name }} />,
        })),
      ]}
    />
  );
}
