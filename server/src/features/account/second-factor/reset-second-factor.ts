import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { endSessions } from '#features/account/access/end-access.ts';
import { ensureOutranks, holdPair } from '#features/account/access/user-rank.ts';
import { removeTotp } from './totp.ts';

/**
 * Removes another user's second factor and passkeys and ends their sessions, for a lost device. Throws
 * `record.not_found`, `user.rank`, and `user.self`: administrators turn off their own with a proof.
 */
export async function resetSecondFactor(
  db: Kysely<Tables>,
  actorId: number,
  id: number,
): Promise<{ totp: boolean; passkeys: number; ended: number }> {
  return db.transaction().execute(async (trx) => {
    const pair = await holdPair(trx, actorId, { id });
    ensureOutranks(pair);
    ensure(pair.actor.id !== pair.target.id, 'user.self');
    const totp = await removeTotp(trx, id);
    const passkeys = await trx.deleteFrom('passkeys').where('user_id', '=', id).returning('id').execute();
    await trx.deleteFrom('login_steps').where('user_id', '=', id).execute();
    return { totp, passkeys: passkeys.length, ended: await endSessions(trx, id) };
  });
}
