import { Link, useLocation } from '@tanstack/react-router';
import { Menu, X } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { useSite } from '#api/site.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { AppearanceMenu } from '../appearance-menu.tsx';
import { Brand } from '../brand.tsx';
import { LanguageMenu } from '../language-menu.tsx';
import { NoticeBell } from '../notice/notice-bell.tsx';
import { usePublicPages } from './public-pages.ts';

const loadSheet = () => import('./public-sheet.tsx');
const PublicSheet = lazy(async () => ({ default: (await loadSheet()).PublicSheet }));
const AvatarMenu = lazy(async () => ({ default: (await import('../avatar-menu.tsx')).AvatarMenu }));

export function PublicTop() {
  const phone = useIsPhone();
  const [open, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-card">
      <div className="mx-auto flex h-16 max-w-300 items-center gap-1 px-6 max-sm:h-14 max-sm:pr-2 max-sm:pl-4">
        <Brand size={phone ? 26 : 28} className="mr-5 text-[17px]/6" />
        {phone ? <PhoneControls open={open} onOpen={setOpen} /> : <DeskControls />}
      </div>
    </header>
  );
}

function DeskControls() {
  const { t } = useTranslation();
  return (
    <>
      <nav aria-label={t('nav.public')} className="flex gap-0.5">
        {usePublicPages().map(({ path, titleKey }) => (
          <Link
            key={path}
            to={path}
            activeOptions={{ exact: true, includeSearch: false }}
            activeProps={{ className: 'font-title text-text' }}
            inactiveProps={{ className: 'text-text2 hover:text-text' }}
            className="inline-flex h-8.5 items-center rounded-control px-3 transition-colors"
          >
            {t(`public.${titleKey}`)}
          </Link>
        ))}
      </nav>
      <span className="flex-1" />
      <NoticeBell />
      <AppearanceMenu />
      <LanguageMenu />
      <Entrance />
    </>
  );
}

/** Links to the console, or to sign in and register. */
function Entrance() {
  const { t } = useTranslation();
  const { user } = useSession();
  const { pathname } = useLocation();
  const isOpen = useSite()?.register_enabled !== false;
  if (user)
    return (
      <>
        <Button className="ml-2" render={<Link to="/panel" />}>
          {t('public.console')}
        </Button>
        <Suspense fallback={<span className="ml-2 size-8" />}>
          <AvatarMenu />
        </Suspense>
      </>
    );
  if (pathname !== '/login')
    return (
      <Button className="ml-2" render={<Link to="/login" />}>
        {t('public.login')}
      </Button>
    );
  if (!isOpen) return null;
  return (
    <Button className="ml-2" render={<Link to="/register" />}>
      {t('public.register')}
    </Button>
  );
}

function PhoneControls({ open, onOpen }: { open: boolean; onOpen: (open: boolean) => void }) {
  const { t } = useTranslation();
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    onOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <span className="flex-1" />
      <NoticeBell />
      {!open && <AppearanceMenu />}
      <IconButton
        ref={button}
        label={t(open ? 'nav.close' : 'nav.open')}
        icon={open ? X : Menu}
        active={open}
        aria-expanded={open}
        onPointerEnter={() => void loadSheet()}
        onFocus={() => void loadSheet()}
        onClick={() => (open ? close() : onOpen(true))}
      />
      {open && (
        <Suspense>
          <PublicSheet onClose={close} />
        </Suspense>
      )}
    </>
  );
}
