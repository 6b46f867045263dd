import { Outlet, useMatches } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { connection } from '#api/connection.ts';
import { useSelf } from '#api/self.ts';
import { useSession } from '#api/session.ts';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { useIsNarrow } from '#ui/basic/use-media.ts';
import { OfflineBanner } from '../connection/offline-banner.tsx';
import { mayOpen } from '../menu.ts';
import { contentId, SkipLink } from '../skip-link.tsx';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';
import { usePaletteKey } from './use-palette-key.ts';
import { useSidebar } from './use-sidebar.ts';

const NoAccessPage = lazy(async () => ({ default: (await import('../no-access-page.tsx')).NoAccessPage }));
const MenuSheet = lazy(async () => ({ default: (await import('./menu-sheet.tsx')).MenuSheet }));
const loadPalette = () => import('../palette/palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));

/** The console: sidebar, bar and the screen. */
export function PanelLayout() {
  useSelf();
  const narrow = useIsNarrow();
  const sidebar = useSidebar();
  const [sheet, setSheet] = useState(false);
  const [palette, setPalette] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const collapser = useRef<HTMLButtonElement>(null);
  const away = useSyncExternalStore(connection.subscribe, () => !connection.get().online);
  usePaletteKey(() => setPalette(true));

  const toggle = () => {
    // The pressed button disappears with the change; focus its counterpart.
    flushSync(sidebar.toggle);
    (collapser.current ?? opener.current)?.focus();
  };

  const closeSheet = () => {
    // Synchronously: while the menu is open, the page is inert and cannot take the focus.
    flushSync(() => setSheet(false));
    opener.current?.focus();
  };
  return (
    <SavingDisabled value={away}>
      <div className="flex min-h-dvh">
        {/* While the menu is open, the content is inert. */}
        {!(narrow && sheet) && <SkipLink />}
        {!narrow && sidebar.open && <Sidebar ref={collapser} onCollapse={toggle} />}
        {narrow && sheet && (
          <Suspense>
            <MenuSheet onClose={closeSheet} />
          </Suspense>
        )}
        <div className="flex min-w-0 flex-1 flex-col" inert={narrow && sheet}>
          <TopBar
            ref={opener}
            menuShown={narrow ? sheet : sidebar.open}
            onMenu={() => (narrow ? setSheet(true) : toggle())}
            onSearch={() => setPalette(true)}
            onSearchNear={() => void loadPalette()}
          />
          <OfflineBanner />
          <main
            id={contentId}
            tabIndex={-1}
            // Sticky elements stay below the top bar.
            className="mx-auto w-full max-w-350 flex-1 px-6 py-5 outline-none [--sticky-top:56px] max-sm:px-4 max-sm:py-3"
          >
            <Screen />
          </main>
        </div>
        {palette && (
          <Suspense>
            <Palette onClose={() => setPalette(false)} />
          </Suspense>
        )}
      </div>
    </SavingDisabled>
  );
}

/** The screen, if the user may open it. */
function Screen() {
  const { user } = useSession();
  const closed = useMatches().find(({ staticData }) => !mayOpen(staticData.menu ?? {}, user));
  if (!closed) return <Outlet />;
  return (
    <Suspense>
      <NoAccessPage audience={closed.staticData.menu?.audience} />
    </Suspense>
  );
}
