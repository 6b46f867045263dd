import { PanelLeft } from 'lucide-react';
import { lazy, Suspense, type Ref } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { consoleVersion } from '#api/site.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Brand } from '../brand.tsx';
import { ProductVersion } from '../product-version.tsx';
import { SidebarNav } from './sidebar-nav.tsx';
import { UserCard } from './user-card.tsx';

const NewerVersion = lazy(async () => ({ default: (await import('./newer-version.tsx')).NewerVersion }));

/** The menu of wide screens. */
export function Sidebar({ ref, onCollapse }: { ref: Ref<HTMLButtonElement>; onCollapse: () => void }) {
  const { t } = useTranslation();
  const { isAdmin } = useSession();
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
        {isAdmin && (
          <Suspense>
            <NewerVersion />
          </Suspense>
        )}
      </div>
    </aside>
  );
}
