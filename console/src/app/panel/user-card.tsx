import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '#api/session.ts';
import { Avatar } from '#shared/avatar.tsx';
import { useHasScreen } from '../use-screens.ts';

const profile: string = '/panel/profile';

/** Who is signed in; the picture leads to the profile. */
export function UserCard({ note }: { note?: string }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const hasScreen = useHasScreen();
  if (!user) return null;
  const picture = <Avatar user={user} />;
  return (
    <div className="flex min-w-0 items-center gap-2.5">
      {hasScreen(profile) ? (
        <Link to={profile} aria-label={t('menu.profile')} className="flex-none rounded-full">
          {picture}
        </Link>
      ) : (
        picture
      )}
      <div className="min-w-0">
        <div className="truncate font-title">{user.username}</div>
        <div className="truncate text-12 text-text3">
          {t('nav.welcome')}
          {note && ` · ${note}`}
        </div>
      </div>
    </div>
  );
}
