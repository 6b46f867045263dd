import { tokenStatus } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';

/**
 * Signs an account out everywhere, but for a session to keep, and takes its access token back. Who had begun to get in
 * does not get in either: second steps that are owed, codes and links that were sent by mail, and bindings under way end.
 */
export async function endAccess(db: Db, userId: number, keep?: string): Promise<void> {
  // Before the sessions: a step that is being taken at this moment becomes one of them.
  for (const table of ['login_steps', 'mail_codes', 'oauth_states'] as const)
    await db.deleteFrom(table).where('user_id', '=', userId).execute();
  await endSessions(db, userId, keep);
  await setAccessToken(db, userId, undefined);
}

/** Ends the sessions of an account, but for one to keep; tells how many there were. */
export async function endSessions(db: Db, userId: number, keep = ''): Promise<number> {
  const ended = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id_hash', '<>', keep)
    .returning('id_hash')
    .execute();
  return ended.length;
}

/** Switches the API keys of an account off, for its owner to switch on again; tells how many there were. */
export async function disableTokens(db: Db, userId: number): Promise<number> {
  const disabled = await db
    .updateTable('tokens')
    .set({ status: tokenStatus.disabled })
    .where('user_id', '=', userId)
    .where('status', '<>', tokenStatus.disabled)
    .where('deleted_time', 'is', null)
    .returning('id')
    .execute();
  return disabled.length;
}

/** Puts another access token, or none, in the place of the one there was. */
export async function setAccessToken(
  db: Db,
  userId: number,
  token: { hash: string; hint: string; now: number } | undefined,
): Promise<void> {
  await db
    .updateTable('users')
    .set({
      access_token_hash: token?.hash ?? null,
      access_token_hint: token?.hint ?? '',
      access_token_time: token?.now ?? 0,
      access_token_used_time: 0,
    })
    .where('id', '=', userId)
    .execute();
}
