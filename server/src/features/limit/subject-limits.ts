import type { AccountLimits, SubjectLimits } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { countedCaps } from '#live/caller-limits.ts';
import { limitsOf } from '#live/callers.ts';
import { limitUses } from '#live/cap-use.ts';

/** Sets the limits of a scope of an account; without caps it has none. Call `live.usersChanged` after the commit. */
export async function setLimits(
  trx: Kysely<Tables>,
  { accountId, scope }: { accountId: number; scope: string },
  limits: SubjectLimits,
  now: number,
): Promise<void> {
  if (limits.caps.length === 0) {
    await trx.deleteFrom('limit_rules').where('scope', '=', scope).execute();
    return;
  }
  const values = { limits: JSON.stringify(limits), updated_time: now };
  await trx
    .insertInto('limit_rules')
    .values({ scope, user_id: accountId, ...values })
    .onConflict((conflict) => conflict.column('scope').doUpdateSet(values))
    .execute();
  await trx.updateTable('users').set({ has_limits: true }).where('id', '=', accountId).execute();
}

/** The limits of one scope of an account and their use. */
export async function limitsWithUse(
  db: Db,
  { accountId, scope }: { accountId: number; scope: string },
  now: number,
): Promise<AccountLimits> {
  const [rule] = await limitsOf(db, accountId, [scope]);
  return { limits: rule?.limits ?? null, use: rule ? await limitUses(db, countedCaps(scope, rule.limits), now) : [] };
}
