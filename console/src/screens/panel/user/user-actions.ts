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
import { runSequentially, type Outcome } from '#domain/save/run-sequentially.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshUsers } from './user-api.ts';

/** The inverse of each action, for Undo. */
const reverse = { enable: 'disable', disable: 'enable', promote: 'demote', demote: 'promote' } as const;

const userTexts = () => i18n.translator('user');

/** Applies an action to accounts one by one, shows the result, and offers Undo where possible. */
export async function manageUsers(
  client: QueryClient,
  users: readonly User[],
  action: UserAction,
  isUndo = false,
): Promise<void> {
  const t = userTexts();
  const outcome = await runSequentially(t(`working.${action}`), users, ({ id, username }) =>
    // Both, so that an account that got the name meanwhile is not affected.
    call(userAdminApi.manage, { body: { id, username, action } }),
  );
  void refreshUsers(client);
  toastFailures(outcome);
  const { done } = outcome;
  if (done.length === 0) return;
  const facts = { count: done.length, name: done[0]?.username };
  const message = t(done.length === 1 ? `done.${action}` : `doneMany.${action}`, facts);
  if (isUndo) return toast.success(message);
  const undo = () =>
    action === 'delete' ? restoreUsers(client, done) : manageUsers(client, done, reverse[action], true);
  toast.undo(message, { label: t('undo'), onClick: () => void undo() });
}

/** Restores deleted accounts one by one, and shows the result. */
export async function restoreUsers(client: QueryClient, users: readonly User[]): Promise<void> {
  const t = userTexts();
  const outcome = await runSequentially(t('restoring'), users, ({ id }) =>
    call(userAdminApi.restore, { params: { id }, body: {} }),
  );
  void refreshUsers(client);
  toastFailures(outcome);
  const [first] = outcome.done;
  if (first) toast.success(t('restored', { name: first.username }));
}

/** Ends all sessions of an account. */
export async function signOutUser({ id, username }: User): Promise<void> {
  const t = userTexts();
  const { ended } = await call(userAdminApi.endSessions, { params: { id } });
  toast.success(
    ended === 0 ? t('signedOutNone', { name: username }) : t('signedOut', { name: username, count: ended }),
  );
}

/** Removes two-step verification and passkeys of an account whose owner lost the device. */
export async function resetSecondFactor({ id, username }: User): Promise<void> {
  const { totp, passkeys } = await call(totpApi.reset, { params: { id } });
  toast.success(userTexts()(totp || passkeys > 0 ? 'factorReset' : 'factorNone', { name: username }));
}

export async function unbindUser(client: QueryClient, { id }: User, provider: IdentityProvider): Promise<void> {
  await call(oauthApi.unbindOf, { params: { id, provider } });
  const t = i18n.translator('elsewhere');
  toast.success(t('unbound', { provider: t(provider) }));
  await refreshUsers(client);
}

function toastFailures({ failed: [first, ...others] }: Outcome<User>): void {
  if (!first) return;
  const why = { count: others.length + 1, name: first.item.username, reason: first.error.message };
  toast.error(userTexts()(others.length === 0 ? 'notDone' : 'notDoneMany', why));
}
