import type { ActivityDays, User } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Wallet } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { AccountEntries, AccountTokens } from '#domain/account/account-lists.tsx';
import { ActivityBody } from '#domain/activity/activity-body.tsx';
import { FactList } from '#domain/activity/fact-list.tsx';
import { ObjectDrawer } from '#domain/activity/object-drawer.tsx';
import { ViewFooter } from '#domain/activity/view-footer.tsx';
import { outranks } from '#domain/quota/outranks.ts';
import { rowId } from '#list/use-list-screen.ts';
import { Avatar } from '#ui/basic/avatar.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Money } from '#ui/format/money.tsx';
import { Time } from '#ui/format/time.tsx';
import { userById, userPage, type UserQuery } from '#screens/panel/user/user-api.ts';
import { UserRole, UserStatus } from '#screens/panel/user/user-cells.tsx';
import { UserGroupName } from '#screens/panel/user/user-group-name.tsx';

interface Props {
  id: number;
  query: UserQuery;
  onGo: (id: number) => void;
  onEdit: (user: User) => void;
  onAdjust: (user: User) => void;
  onClose: () => void;
}

const noRows: User[] = [];

/** The read view of an account: calls, refusals, balance, tokens. */
export function UserView({ id, query, onGo, onEdit, onAdjust, onClose }: Props) {
  const { t } = useTranslation(['activity', 'user']);
  const [days, setDays] = useState<ActivityDays>('1');
  const { user: me } = useSession();
  const page = useQuery(userPage(query));
  const rows = page.data?.data.filter((row) => row.id === me?.id || outranks(me, row)) ?? noRows;
  const listed = rows.find((row) => row.id === id);
  const { data, error, isFetching, refetch } = useQuery({ ...userById(id), meta: { quiet: true }, enabled: !listed });
  return (
    <ObjectDrawer
      id={id}
      rows={rows}
      keyOf={rowId}
      onGo={(next) => onGo(Number(next))}
      record={listed ?? data}
      error={error}
      busy={isFetching}
      onRetry={() => void refetch()}
      placeholder={t('user:title')}
      titleOf={({ username }) => username}
      tile={(user) => <Avatar user={user} tone="neutral" />}
      subtitle={(user) => (
        <>
          <UserStatus user={user} />
          <UserRole user={user} />
          {[`#${user.id}`, user.display_name === user.username ? '' : user.display_name].filter(Boolean).join(' · ')}
        </>
      )}
      footer={(user) => (
        <ViewFooter log={{ username: user.username }} onEdit={outranks(me, user) ? () => onEdit(user) : undefined}>
          {outranks(me, user) && (
            <Button icon={Wallet} saves onClick={() => onAdjust(user)}>
              {t('adjust')}
            </Button>
          )}
        </ViewFooter>
      )}
      onClose={onClose}
    >
      {(user) => (
        <ActivityBody
          subject={{ of: 'user', id: user.id }}
          days={days}
          onDays={setDays}
          allTime={user.used_quota}
          log={{ username: user.username }}
          setup={<Setup user={user} />}
        >
          <AccountTokens account={user} />
          <AccountEntries account={user} />
        </ActivityBody>
      )}
    </ObjectDrawer>
  );
}

function Setup({ user }: { user: User }) {
  const { t } = useTranslation('activity');
  return (
    <FactList
      title={t('account')}
      facts={[
        [
          t('balance'),
          <Money key="balance" credits={user.quota} className={user.quota <= 0 ? 'text-warn' : undefined} />,
        ],
        [t('group'), <UserGroupName key="group" symbol={user.group} />],
        [t('email'), user.email || t('none')],
        [t('lastCall'), <Time key="call" at={user.last_call_time} as="relative" none={t('never')} />],
        [t('signedIn'), <Time key="in" at={user.last_login_time} as="relative" none={t('never')} />],
        [t('registered'), <Time key="since" at={user.created_time} as="date" />],
      ]}
    />
  );
}
