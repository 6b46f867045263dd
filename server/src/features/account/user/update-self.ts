import type { selfEdit } from '@relay-hub/contract';
import { type Kysely, sql } from 'kysely';
import type * as z from 'zod/mini';
import { given } from '#db/given.ts';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { hashChosenPassword, isPassword } from '#passwords.ts';
import { disableTokens, endAccess } from '#features/account/access/end-access.ts';
import { ensureName, orTaken, shapeOf } from './save-user.ts';

interface SelfUpdate {
  /** Hash of the session to keep. */
  session: string | undefined;
  /** Whether a new password needs no current one. */
  isProved?: boolean;
  siteThreshold: number;
  now: number;
}

/**
 * Updates the caller's own account. A new password needs the current one if there is one, ends the access token and all
 * sessions but `session`, and disables API tokens unless `disable_tokens` is false; returns how many. `siteThreshold` is
 * the site's threshold of balance reminders. Throws
 * `user.current_password`, `user.password_easy`, `user.name`, `record.exists`.
 */
export async function updateSelf(
  db: Kysely<Tables>,
  userId: number,
  { password, current_password: current = '', disable_tokens = true, ...changes }: z.output<typeof selfEdit>,
  { session, isProved = false, siteThreshold, now }: SelfUpdate,
): Promise<number | undefined> {
  const before = await db
    .selectFrom('users')
    .where('id', '=', userId)
    .select(['username', 'email', 'password_hash'])
    .executeTakeFirstOrThrow();
  ensureName(changes.username, before.username);
  const wrong = { field: 'current_password' };
  const proved =
    isProved || !password || before.password_hash === '' || (await isPassword(current, before.password_hash));
  ensure(proved, 'user.current_password', wrong);
  const columns = given({
    ...changes,
    ...(await shapeOf(db, changes.username, { id: userId, username: before.username })),
    ...(changes.remind_quota !== undefined && {
      reminded_time: keptReminder(changes.remind_quota ?? siteThreshold),
    }),
    ...(password && {
      password_hash: await hashChosenPassword(password, [changes.username ?? before.username, before.email]),
      password_time: now,
    }),
  });
  if (Object.keys(columns).length === 0) return undefined;
  const updated = db.transaction().execute(async (trx) => {
    const changed = await trx
      .updateTable('users')
      .set(columns)
      .where('id', '=', userId)
      // Of two concurrent changes the second presents an outdated password.
      .where('password_hash', '=', before.password_hash)
      .returning('id')
      .executeTakeFirst();
    ensure(changed, 'user.current_password', wrong);
    if (!password) return undefined;
    await endAccess(trx, userId, session);
    return disable_tokens ? disableTokens(trx, userId, now) : 0;
  });
  return orTaken(updated, changes);
}

/** A balance that is sufficient for a new threshold can fall below it again, which is worth another mail. */
const keptReminder = (threshold: number) =>
  sql<number>`case when quota + held >= ${threshold} then 0 else reminded_time end`;
