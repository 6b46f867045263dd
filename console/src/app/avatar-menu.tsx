import { lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { Avatar } from '#ui/basic/avatar.tsx';
import { useSignOut } from './use-sign-out.ts';

const loadMenu = () => import('./account-menu.tsx');
const AccountMenu = lazy(async () => ({ default: (await loadMenu()).AccountMenu }));

/** Menu of the account: switching to a team, settings and sign-out. */
export function AvatarMenu() {
  const { t } = useTranslation();
  const { user } = useSession();
  const signOut = useSignOut();
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  if (!user) return null;

  const label = t('nav.account', { name: user.username });
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
          <AccountMenu label={label} anchor={anchor} user={user} onSignOut={signOut} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
