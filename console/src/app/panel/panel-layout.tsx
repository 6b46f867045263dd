import { Outlet, useMatches } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { connection } from '#api/connection.ts';
import { useSelf } from '#api/self.ts';
import { useSession } from '#api/session.ts';
import { CannotSave } from '#ui/form/cannot-save.ts';
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
    // The button that was pressed goes with the menu, or with its absence; the other one stands for it.
    flushSync(sidebar.toggle);
    (collapser.current ?? opener.current)?.focus();
  };

  const closeSheet = () => {
    // At once: behind the open menu the page takes no focus.
    flushSync(() => setSheet(false));
    opener.current?.focus();
  };
  return (
    <CannotSave value={away}>
      <div className="flex min-h-dvh">
        {/* Behind the open menu there is nothing to skip to. */}
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
            // What sticks, sticks below the bar.
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
    </CannotSave>
  );
}

/** The screen, if the visitor may see it. */
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
