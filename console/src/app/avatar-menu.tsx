import { Link } from '@tanstack/react-router';
import { LogOut, UserRound } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { Avatar } from '#ui/basic/avatar.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { useSignOut } from './use-sign-out.ts';

const loadMenu = () => import('#ui/overlay/menu.tsx');
const Menu = lazy(async () => ({ default: (await loadMenu()).Menu }));

/** Account menu: settings and sign-out. */
export function AvatarMenu() {
  const { t } = useTranslation();
  const { user } = useSession();
  const signOut = useSignOut();
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  if (!user) return null;

  const label = t('nav.account', { name: user.username });
  const entries = (): MenuEntries => [
    { heading: user.display_name || user.username },
    { label: t('nav.settings'), icon: UserRound, render: <Link to="/panel/profile" /> },
    { label: t('nav.signOut'), icon: LogOut, saves: true, onSelect: signOut },
  ];
  return (
    <>
      <button
        ref={anchor}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onPointerEnter={() => void loadMenu()}
        onFocus={() => void loadMenu()}
        onClick={() => setOpen((now) => !now)}
        className="ml-2 grid flex-none place-items-center rounded-full max-sm:size-10"
      >
        <Avatar user={user} />
      </button>
      {open && (
        <Suspense>
          <Menu label={label} anchor={anchor} entries={entries} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
