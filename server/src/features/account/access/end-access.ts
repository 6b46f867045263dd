import { tokenStatus } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { addEvent } from '#notifications/add-event.ts';

/**
 * Ends all sessions except `keep`, the access token and all access keys, and invalidates unfinished sign-ins: pending second steps,
 * mailed codes and links, and started provider connections.
 */
export async function endAccess(db: Db, userId: number, keep?: string): Promise<void> {
  // Before the sessions, because a step being completed right now creates one.
  for (const table of ['login_steps', 'mail_codes', 'oauth_states'] as const)
    await db.deleteFrom(table).where('user_id', '=', userId).execute();
  await endSessions(db, userId, keep);
  await setAccessToken(db, userId, undefined);
  await db.deleteFrom('access_keys').where('user_id', '=', userId).execute();
}

/** Ends an account's sessions except `keep`. Returns how many. */
export async function endSessions(db: Db, userId: number, keep = ''): Promise<number> {
  const ended = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id_hash', '<>', keep)
    .returning('id_hash')
    .execute();
  return ended.length;
}

/** Disables an account's API tokens, each with its event, until the owner enables them again. Returns how many. */
export async function disableTokens(db: Db, userId: number, now: number): Promise<number> {
  const disabled = await db
    .updateTable('tokens')
    .set({ status: tokenStatus.disabled })
    .where('user_id', '=', userId)
    .where('status', '<>', tokenStatus.disabled)
    .where('deleted_time', 'is', null)
    .returning(['id', 'name'])
    .execute();
  for (const { id, name } of disabled)
    await addEvent(db, {
      type: 'key.ended',
      object: `key:${id}`,
      userId,
      data: { id, name, reason: 'disabled' },
      now,
    });
  return disabled.length;
}

/** Replaces or removes the access token; a new one has no scope, unless it keeps that of the old one. */
export async function setAccessToken(
  db: Db,
  userId: number,
  token: { hash: string; hint: string; now: number; keepScope: boolean } | undefined,
): Promise<void> {
  await db
    .updateTable('users')
    .set({
      access_token_hash: token?.hash ?? null,
      access_token_hint: token?.hint ?? '',
      access_token_time: token?.now ?? 0,
      access_token_used_time: 0,
      ...(!token?.keepScope && { access_token_scope: '' }),
    })
    .where('id', '=', userId)
    .execute();
}
