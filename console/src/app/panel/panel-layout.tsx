import { Link, Outlet, useMatches } from '@tanstack/react-router';
import { lazy, type ReactNode, type Ref, Suspense, useRef, useState, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { BellRing, HardDrive, type LucideIcon, PanelLeft, ShieldAlert } from 'lucide-react';
import { isAdmin } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { connection } from '#api/connection.ts';
import { useSelf } from '#api/self.ts';
import { useSession } from '#api/session.ts';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { cx } from '#ui/basic/cx.ts';
import { useIsNarrow } from '#ui/basic/use-media.ts';
import { storage } from '#api/storage.ts';
import { createStore, useStore } from '#api/store.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { consoleVersion } from '#api/site.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { OfflineBanner } from '../connection/offline-banner.tsx';
import { mayOpen } from '../menu.ts';
import { AnnouncementBanner } from '../notice/announcement-banner.tsx';
import { contentId, SkipLink } from '../skip-link.tsx';
import { TopBar } from './top-bar.tsx';
import { usePanelKeys } from './use-panel-keys.ts';
import { Brand } from '../brand.tsx';
import { ProductVersion } from '../product-version.tsx';
import { SidebarNav } from './sidebar-nav.tsx';
import { UserCard } from './user-card.tsx';
import { openIncidents } from '../open-incidents.ts';

const NewerVersion = lazy(async () => ({ default: (await import('./newer-version.tsx')).NewerVersion }));

/** The menu of wide screens. */
function Sidebar({ ref, onCollapse }: { ref: Ref<HTMLButtonElement>; onCollapse: () => void }) {
  const { t } = useTranslation();
  const session = useSession();
  return (
    <aside className="sticky top-0 flex h-dvh w-65 flex-none flex-col border-r border-line bg-card print:hidden">
      <div className="flex h-14 flex-none items-center justify-between gap-2 pr-3 pl-5">
        <Brand className="text-16" />
        <IconButton ref={ref} label={t('nav.collapse')} icon={PanelLeft} aria-expanded onClick={onCollapse} />
      </div>
      <div className="flex h-[calc(100dvh-88px)] flex-col">
        <SidebarNav />
        <div className="mx-3 mt-2 mb-2 flex-none rounded-card border border-line p-2.5 [@media(height<=870px)]:my-0 [@media(height<=870px)]:border-0 [@media(height<=870px)]:px-2 [@media(height<=870px)]:py-1">
          <UserCard note={t('nav.welcome')} />
        </div>
      </div>
      <div className="flex h-8 flex-none items-center gap-2 border-t border-line px-5">
        <ProductVersion
          className="rounded-full border border-line2 px-2 text-12/[18px] text-text3 tabular-nums"
          label={t('nav.version', { version: consoleVersion })}
        />
        {session.isAdmin && (
          <Suspense>
            <NewerVersion />
          </Suspense>
        )}
      </div>
    </aside>
  );
}

const sidebarKey = 'sidebar';
const opened = createStore(storage.get(sidebarKey) !== 'closed');

/** Whether the sidebar of wide screens is open; stored in this browser. */
function useSidebar(): { open: boolean; toggle: () => void } {
  const open = useStore(opened);
  const toggle = () => {
    storage.set(sidebarKey, open ? 'closed' : 'open');
    opened.set(!open);
  };
  return { open, toggle };
}

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
              isNarrow ? 'max-w-350' : isCharts ? 'max-w-420' : 'max-w-480',
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

/** Shows administrators that calls cannot be recorded, else that they owe two-step verification, else a grave incident. */
function StorageBanner() {
  const { t } = useTranslation();
  const self = useSelf().data;
  const state = self?.storage ?? 'ok';
  if (state === 'ok' && self?.owes_two_step)
    return (
      <Strip icon={ShieldAlert} text={t('storage.twoStepText')}>
        <Link to="/panel/profile" className="min-w-0 font-title break-words underline">
          {t('storage.twoStep')}
        </Link>
      </Strip>
    );
  if (state === 'ok') return self && isAdmin(self.role) ? <GraveIncident /> : null;
  return (
    <Strip icon={HardDrive} text={t(`storage.${state}Text`)}>
      <Link to="/panel/incident" className="min-w-0 font-title break-words underline">
        {t(`storage.${state}`)}
      </Link>
    </Strip>
  );
}

function GraveIncident() {
  const first = useQuery(openIncidents).data?.critical[0];
  if (!first) return null;
  return (
    <Strip icon={BellRing} text={first.advice}>
      <Link to="/panel/incident" search={{ show: first.id }} className="min-w-0 font-title break-words underline">
        {first.title}
      </Link>
    </Strip>
  );
}

function Strip({ icon, text, children }: { icon: LucideIcon; text: string; children: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex min-h-11 flex-none flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line bg-bad-soft px-6 py-1.5 text-13 text-bad max-sm:px-4"
    >
      <Icon of={icon} />
      {children}
      <span className="min-w-0 break-words">{text}</span>
    </div>
  );
}
