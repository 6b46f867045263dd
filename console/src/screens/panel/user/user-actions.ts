import {
  oauthApi,
  totpApi,
  userAdminApi,
  type IdentityProvider,
  type User,
  type UserAction,
} from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import { i18n } from '#i18n/t.ts';
import { call } from '#api/call.ts';
import { type RecordActions, useRecordActions } from '#list/record-actions.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { refreshUsers } from './user-api.ts';

// Both, so that an account that got the name meanwhile is not affected.
const manage =
  (action: UserAction) =>
  ({ id, username }: User): Promise<unknown> =>
    call(userAdminApi.manage, { body: { id, username, action } });

const act = <Action extends UserAction, Undo extends UserAction | 'restore'>(action: Action, undo: Undo) =>
  ({
    running: `working.${action}`,
    done: `done.${action}`,
    doneMany: `doneMany.${action}`,
    send: manage(action),
    undo,
  }) as const;

const actions = {
  enable: act('enable', 'disable'),
  disable: act('disable', 'enable'),
  promote: act('promote', 'demote'),
  demote: act('demote', 'promote'),
  delete: act('delete', 'restore'),
  restore: {
    running: 'restoring',
    done: 'restored',
    send: ({ id }) => call(userAdminApi.restore, { params: { id }, body: {} }),
  },
} satisfies RecordActions<User, 'user'>;

/** Applies an action to accounts one by one, shows the result, and offers Undo where possible. */
export const useUserActions = () =>
  useRecordActions('user', actions, { nameOf: ({ username }) => username, refresh: refreshUsers }).run;

/** Ends all sessions of an account. */
export async function signOutUser({ id, username }: User): Promise<void> {
  const t = i18n.translator('user');
  const { ended } = await call(userAdminApi.endSessions, { params: { id } });
  toast.success(
    ended === 0 ? t('signedOutNone', { name: username }) : t('signedOut', { name: username, count: ended }),
  );
}

/** Removes two-step verification and passkeys of an account whose owner lost the device. */
export async function resetSecondFactor({ id, username }: User): Promise<void> {
  const { totp, passkeys } = await call(totpApi.reset, { params: { id } });
  toast.success(i18n.translator('user')(totp || passkeys > 0 ? 'factorReset' : 'factorNone', { name: username }));
}

export async function unbindUser(client: QueryClient, { id }: User, provider: IdentityProvider): Promise<void> {
  await call(oauthApi.unbindOf, { params: { id, provider } });
  const t = i18n.translator('elsewhere');
  toast.success(t('unbound', { provider: t(provider) }));
  await refreshUsers(client);
}
