import type { IdentityProvider, User } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Unlink } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { outranks } from '#domain/quota/outranks.ts';
import { boundAccounts, type BoundAccount } from './bound-accounts.ts';
import { unbindUser } from './user-actions.ts';
import { boundIcon, useBoundTitle } from './user-bindings.tsx';

type BoundElsewhere = BoundAccount & { at: IdentityProvider };
const isElsewhere = (account: BoundAccount): account is BoundElsewhere => account.at !== 'email';

/** An account's connected identities; those at providers can be disconnected by administrators above its role. */
export function UserBindingList({ user }: { user: User }) {
  const { t } = useTranslation(['user', 'elsewhere']);
  const { user: me } = useSession();
  const titleOf = useBoundTitle();
  const bound = boundAccounts(user);
  const client = useQueryClient();
  const [leaving, setLeaving] = useState<BoundElsewhere>();
  const mayUnbind = outranks(me, user) && me?.id !== user.id;
  return (
    <div className="text-13">
      <p className="font-title">{t('bound')}</p>
      {bound.length === 0 ? (
        <p className="mt-1 text-text2">{t('boundNone')}</p>
      ) : (
        <dl className="mt-1 grid grid-cols-[auto_1fr_auto] items-center gap-x-4 gap-y-1">
          {bound.map((account) => (
            <div key={account.at} className="contents">
              <dt className="flex items-center gap-2 text-text2">
                <Icon of={boundIcon(account)} size={14} />
                {titleOf(account)}
              </dt>
              <dd className="min-w-0 break-all">{account.name}</dd>
              <dd>
                {mayUnbind && isElsewhere(account) && (
                  <IconButton
                    size="sm"
                    icon={Unlink}
                    label={t('elsewhere:unbindOf', { provider: titleOf(account) })}
                    onClick={() => setLeaving(account)}
                  />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {leaving && (
        <Confirm
          title={t('elsewhere:unbindTitle', { provider: titleOf(leaving) })}
          text={t('unbindText', { name: user.username })}
          action={t('elsewhere:unbindAction', { provider: titleOf(leaving) })}
          onConfirm={() => unbindUser(client, user, leaving.at)}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </div>
  );
}
