import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { Avatar } from '#ui/basic/avatar.tsx';

/** The signed-in user; the avatar links to the profile. */
export function UserCard({ note }: { note?: string }) {
  const { t } = useTranslation();
  const { user } = useSession();
  if (!user) return null;
  return (
    <div className="flex min-w-0 items-center gap-2.5">
      <Link to="/panel/profile" aria-label={t('menu.profile')} className="flex-none rounded-full">
        <Avatar user={user} />
      </Link>
      <div className="min-w-0">
        <div className="truncate font-title">{user.username}</div>
        {note && <div className="truncate text-12 text-text3">{note}</div>}
      </div>
    </div>
  );
}
