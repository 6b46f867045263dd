import type { Self } from '@relay-hub/contract';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { Avatar } from '#ui/basic/avatar.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { rankOf } from './identity-facts.tsx';

const loadForm = () => import('./identity-form.tsx');
const IdentityForm = lazy(async () => ({ default: (await loadForm()).IdentityForm }));

export function IdentityCard() {
  const { t } = useTranslation('profile');
  const { data: self, error, isFetching, refetch } = useSelf();
  const phone = useIsPhone();
  const [editing, setEditing] = useState(false);
  if (phone && self && !editing) return <IdentityLine self={self} onEdit={() => setEditing(true)} />;
  return (
    <Card aria-labelledby="profile-identity">
      <CardHead id="profile-identity" title={t('identity')} />
      {self ? (
        <Suspense fallback={<Waiting />}>
          <IdentityForm
            key={`${self.username} ${self.display_name}`}
            self={self}
            autoFocus={editing}
            onSaved={() => setEditing(false)}
          />
        </Suspense>
      ) : error ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : (
        <Waiting />
      )}
    </Card>
  );
}

function Waiting() {
  return (
    <div className="grid h-39.5 content-start gap-6 px-4 pt-4 max-sm:h-58">
      <Skeleton width="70%" />
      <Skeleton width="40%" />
    </div>
  );
}

/** Read-only view on phones. */
function IdentityLine({ self, onEdit }: { self: Self; onEdit: () => void }) {
  const { t } = useTranslation('profile');
  const group = useUserGroups()[self.group];
  return (
    <Card aria-label={t('identity')} className="flex items-center gap-3 p-4">
      <Avatar user={self} size={48} />
      <div className="min-w-0 flex-1">
        <div className="truncate text-16 font-title">{self.display_name || self.username}</div>
        <div className="text-13 break-words text-text2">
          {self.username} · {t(`roles.${rankOf(self)}`)} · {group ? `${group.name} ×${group.ratio}` : self.group}
        </div>
      </div>
      <Button onPointerEnter={() => void loadForm()} onFocus={() => void loadForm()} onClick={onEdit}>
        {t('edit')}
      </Button>
    </Card>
  );
}
