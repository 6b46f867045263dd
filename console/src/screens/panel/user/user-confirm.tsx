import { userAdminApi, type User, type UserAction } from '@relay-hub/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Money } from '#ui/format/money.tsx';
import { resetSecondFactor, signOutUser, useUserActions } from './user-actions.ts';

/** An action that needs confirmation. */
export interface UserConfirmation {
  about: Exclude<UserAction, 'enable'> | 'signOut' | 'resetFactor';
  users: readonly User[];
  onDone?: () => void;
}

/** Number of accounts from which the count must be typed to confirm. */
const many = 5;

export function UserConfirm({ question, onClose }: { question: UserConfirmation; onClose: () => void }) {
  const { users } = question;
  const [first] = users;
  if (!first) return null;
  return users.length === 1 ? (
    <OneQuestion question={question} user={first} onClose={onClose} />
  ) : (
    <ManyQuestion question={question} onClose={onClose} />
  );
}

function OneQuestion({ question, user, onClose }: { question: UserConfirmation; user: User; onClose: () => void }) {
  const { t } = useTranslation('user');
  const manage = useUserActions();
  const { about, onDone } = question;
  const act = useMutation({
    mutationFn: (): Promise<unknown> => {
      if (about === 'signOut') return signOutUser(user);
      if (about === 'resetFactor') return resetSecondFactor(user);
      return manage(about, user);
    },
    onSuccess: () => onDone?.(),
  });
  return (
    <Confirm
      title={t(`ask.${about}.title`, { name: user.username })}
      text={
        <>
          {t(`ask.${about}.text`)}
          {about === 'delete' && <ClosingNote user={user} />}
        </>
      }
      action={t(`ask.${about}.action`)}
      danger={about !== 'promote'}
      onConfirm={() => act.mutateAsync()}
      onClose={onClose}
    />
  );
}

/** What the account still has; the balance is known at once, open orders are asked for. */
function ClosingNote({ user: { id, quota } }: { user: User }) {
  const { t } = useTranslation('user');
  const { data } = useQuery(apiQuery(userAdminApi.closing, { params: { id } }));
  const left = data?.quota ?? quota;
  const orders = data?.open_orders ?? 0;
  return (
    <>
      {left > 0 && (
        <span className="mt-2 block">
          <TextWithElements text={t('askLeft')} parts={{ amount: <Money credits={left} /> }} />
        </span>
      )}
      {orders > 0 && <span className="mt-2 block text-warn">{t('askOrders', { count: orders })}</span>}
    </>
  );
}

/** The only action on several accounts is to disable them. */
function ManyQuestion({ question, onClose }: { question: UserConfirmation; onClose: () => void }) {
  const { t } = useTranslation('user');
  const manage = useUserActions();
  const { users, onDone } = question;
  const count = users.length;
  return (
    <Confirm
      title={t('disableTitleMany', { count })}
      text={t('disableTextMany')}
      action={t('disableActionMany', { count })}
      typeCount={count >= many ? count : undefined}
      onConfirm={() => {
        // The dialog closes; a toast shows the progress.
        void manage('disable', ...users).then(onDone);
      }}
      onClose={onClose}
    />
  );
}
