import { Outlet, useMatches } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { connection } from '#api/connection.ts';
import { useSelf } from '#api/self.ts';
import { useSession } from '#api/session.ts';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { cx } from '#ui/basic/cx.ts';
import { useIsNarrow } from '#ui/basic/use-media.ts';
import { OfflineBanner } from '../connection/offline-banner.tsx';
import { mayOpen } from '../menu.ts';
import { AnnouncementBanner } from '../notice/announcement-banner.tsx';
import { contentId, SkipLink } from '../skip-link.tsx';
import { Sidebar } from './sidebar.tsx';
import { StorageBanner } from './storage-banner.tsx';
import { TopBar } from './top-bar.tsx';
import { usePanelKeys } from './use-panel-keys.ts';
import { useSidebar } from './use-sidebar.ts';

const NoAccessPage = lazy(async () => ({ default: (await import('../no-access-page.tsx')).NoAccessPage }));
const AccountStrip = lazy(async () => ({ default: (await import('./account-strip.tsx')).AccountStrip }));
const MenuSheet = lazy(async () => ({ default: (await import('./menu-sheet.tsx')).MenuSheet }));
const loadPalette = () => import('../palette/palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const ShortcutSheet = lazy(async () => ({
  default: (await import('../palette/shortcut-sheet.tsx')).ShortcutSheet,
}));

/** The console: sidebar, bar and the screen. */
export function PanelLayout() {
  useSelf();
  const { account } = useSession();
  const narrow = useIsNarrow();
  const sidebar = useSidebar();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [shown, setShown] = useState<'palette' | 'keys'>();
  const menuButton = useRef<HTMLButtonElement>(null);
  const collapseButton = useRef<HTMLButtonElement>(null);
  const isOffline = useSyncExternalStore(connection.subscribe, () => !connection.get().online);
  const matches = useMatches();
  const [isNarrow, isCharts] = (['isNarrow', 'isCharts'] as const).map((key) =>
    matches.some(({ staticData }) => staticData[key]),
  );
  const openPalette = () => setShown('palette');
  const openKeys = () => setShown('keys');
  usePanelKeys(openPalette, openKeys);

  const toggle = () => {
    // The pressed button disappears with the change; focus its counterpart.
    flushSync(sidebar.toggle);
    (collapseButton.current ?? menuButton.current)?.focus();
  };

  const closeMenu = () => {
    // Synchronously: while the menu is open, the page is inert and cannot take the focus.
    flushSync(() => setMenuOpen(false));
    menuButton.current?.focus();
  };
  return (
    <SavingDisabled value={isOffline}>
      <div className="flex min-h-dvh">
        {/* While the menu is open, the content is inert. */}
        {!(narrow && isMenuOpen) && <SkipLink />}
        {!narrow && sidebar.open && <Sidebar ref={collapseButton} onCollapse={toggle} />}
        {narrow && isMenuOpen && (
          <Suspense>
            <MenuSheet onClose={closeMenu} />
          </Suspense>
        )}
        {/* A page that fills the window leaves room for banners above it. */}
        <div className="flex min-w-0 flex-1 flex-col has-data-fills:h-dvh" inert={narrow && isMenuOpen}>
          <TopBar
            ref={menuButton}
            menuShown={narrow ? isMenuOpen : sidebar.open}
            onMenu={() => (narrow ? setMenuOpen(true) : toggle())}
            onSearch={openPalette}
            onSearchHover={() => void loadPalette()}
          />
          <OfflineBanner />
          {account && (
            <Suspense>
              <AccountStrip account={account} />
            </Suspense>
          )}
          <StorageBanner />
          <AnnouncementBanner />
          <main
            id={contentId}
            tabIndex={-1}
            // Sticky elements stay below the top bar.
            className={cx(
              'mx-auto w-full flex-1 px-6 py-5 outline-none has-data-fills:min-h-0 [--sticky-top:56px] max-sm:px-4 max-sm:py-3',
              isNarrow ? 'max-w-350' : isCharts ? 'max-w-420' : 'max-w-600',
            )}
          >
            <Screen />
          </main>
        </div>
        {shown && (
          <Suspense>
            {shown === 'palette' ? (
              <Palette onKeys={openKeys} onClose={() => setShown(undefined)} />
            ) : (
              <ShortcutSheet onClose={() => setShown(undefined)} />
            )}
          </Suspense>
        )}
      </div>
    </SavingDisabled>
  );
}

/** The screen, if the user may open it. */
function Screen() {
  const { user } = useSession();
  const forbidden = useMatches().find(({ staticData }) => !mayOpen(staticData.menu ?? {}, user));
  if (!forbidden) return <Outlet />;
  return (
    <Suspense>
      <NoAccessPage audience={forbidden.staticData.menu?.audience} />
    </Suspense>
  );
}
