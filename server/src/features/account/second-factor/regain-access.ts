import { role } from '@relay-hub/contract';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { endAccess } from '#features/account/access/end-access.ts';
import { removeTotp } from './totp.ts';

/** No account was changed. */
export class RegainError extends Error {}

/**
 * Removes second factor and passkeys from an account and ends its sessions, run from the command line for a last super
 * administrator who lost device and recovery codes. The password stays. An audit entry is written in the same
 * transaction. Throws `RegainError` for an unknown name.
 */
export async function regainAccess(
  db: Kysely<Tables>,
  username: string,
  now: number,
): Promise<{ totp: boolean; passkeys: number; sessions: number }> {
  return db.transaction().execute(async (trx) => {
    const user = await trx
      .selectFrom('users')
      .where(sql<boolean>`lower(username) = lower(${username})`)
      .where('deleted_time', 'is', null)
      .select(['id', 'username'])
      .executeTakeFirst();
    if (!user) throw new RegainError(`There is no user ${JSON.stringify(username)}.`);
    const totp = await removeTotp(trx, user.id);
    const passkeys = await trx.deleteFrom('passkeys').where('user_id', '=', user.id).returning('id').execute();
    const sessions = await trx.selectFrom('sessions').where('user_id', '=', user.id).select('id_hash').execute();
    await endAccess(trx, user.id);
    const done = { totp, passkeys: passkeys.length, sessions: sessions.length };
    await trx
      .insertInto('audit')
      .values({
        created_time: now,
        // No session exists, and the entry is visible to super administrators only.
        actor_id: 0,
        actor_name: 'command line',
        actor_role: role.root,
        ip: '',
        user_agent: '',
        via: 'command',
        method: 'COMMAND',
        path: 'reset-second-factor',
        kind: 'user',
        object_id: String(user.id),
        object_name: user.username,
        status: 200,
        code: '',
        input: JSON.stringify(done),
        before: 'null',
        after: 'null',
      })
      .execute();
    return done;
  });
}
