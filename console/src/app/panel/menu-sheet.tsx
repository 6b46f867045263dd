import { X } from 'lucide-react';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { consoleVersion } from '#api/site.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { AppearanceMenu } from '../appearance-menu.tsx';
import { Brand } from '../brand.tsx';
import { LanguageMenu } from '../language-menu.tsx';
import { NewerVersion } from './newer-version.tsx';
import { SidebarNav } from './sidebar-nav.tsx';
import { UserCard } from './user-card.tsx';

/** The menu of narrow screens, above the inert page. Following an entry closes it. */
export function MenuSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { isAdmin } = useSession();
  const close = useRef<HTMLButtonElement>(null);
  const onKey = useEffectEvent(({ key }: KeyboardEvent) => {
    if (key === 'Escape') onClose();
  });
  useEffect(() => {
    close.current?.focus();
    addEventListener('keydown', onKey);
    const { overflow } = document.body.style;
    document.body.style.overflow = 'hidden';
    return () => {
      removeEventListener('keydown', onKey);
      document.body.style.overflow = overflow;
    };
  }, []);
  return (
    <div role="dialog" aria-modal aria-label={t('nav.main')} className="fixed inset-0 z-40">
      <div aria-hidden className="scrim absolute inset-0 bg-scrim" onClick={onClose} />
      <div className="sheet-side floating absolute inset-y-0 left-0 flex w-75 max-w-[calc(100vw-48px)] flex-col shadow-dialog">
        <div className="flex h-14 flex-none items-center justify-between gap-2 pr-3 pl-5">
          <Brand className="text-16" />
          <IconButton ref={close} label={t('nav.close')} icon={X} onClick={onClose} />
        </div>
        <div className="flex h-[calc(100dvh-56px)] flex-col">
          <SidebarNav onChoose={onClose} />
          <div className="flex flex-none items-center gap-1 border-t border-line px-3 py-2">
            <div className="min-w-0 flex-1">
              <UserCard note={consoleVersion} />
              {isAdmin && <NewerVersion />}
            </div>
            <AppearanceMenu />
            <LanguageMenu />
          </div>
        </div>
      </div>
    </div>
  );
}
