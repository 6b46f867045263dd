import type { SessionUser } from '@relay-hub/contract';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Avatar } from '#ui/basic/avatar.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { countUnsaved } from '#ui/overlay/use-leave-guard.ts';

interface Props {
  user: SessionUser;
  email: string;
  busy?: boolean | undefined;
  /** Discards the page and its data. */
  onNotYou: () => void;
}

/** The page's user, and a link for another user, which asks before it discards changes. */
export function PageUser({ user, email, busy = false, onNotYou }: Props) {
  const { t } = useTranslation(['signInAgain', 'shared']);
  const [changes, setChanges] = useState(0);
  const leave = () => {
    const count = countUnsaved();
    if (count > 0) setChanges(count);
    else onNotYou();
  };
  return (
    <>
      <div className="flex items-center gap-2.5 rounded-control border border-line py-2.5 pr-1.5 pl-3">
        <Avatar user={user} />
        <div className="min-w-0 flex-1">
          <div className="truncate font-title">{user.username}</div>
          {email !== '' && <div className="truncate text-12 text-text3">{email}</div>}
        </div>
        <Button variant="ghost" saves={false} busy={busy} className="text-accent! hover:text-accent!" onClick={leave}>
          {t('notYou')}
        </Button>
      </div>
      {changes > 0 && (
        <Note tone="warn" live>
          <p>{t('shared:discardText', { count: changes })}</p>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button size="sm" saves={false} onClick={() => setChanges(0)}>
              {t('shared:keepEditing')}
            </Button>
            <Button size="sm" variant="danger" saves={false} onClick={onNotYou}>
              {t('shared:discard')}
            </Button>
          </div>
        </Note>
      )}
    </>
  );
}
