import type { AccountLimits, SubjectLimits } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { countedCaps, type ScopedLimits } from '#live/caller-limits.ts';
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
  const [found] = await withUses(db, await limitsOf(db, accountId, [scope]), now);
  return found ?? { limits: null, use: [] };
}

/** The use of the limits of several scopes, read at once. */
export async function withUses(
  db: Db,
  rules: readonly ScopedLimits[],
  now: number,
): Promise<({ scope: string } & AccountLimits)[]> {
  const caps = rules.map(({ scope, limits }) => countedCaps(scope, limits));
  const uses = await limitUses(db, caps.flat(), now);
  let from = 0;
  return rules.map(({ scope, limits }, at) => ({
    scope,
    limits,
    use: uses.slice(from, (from += caps[at]?.length ?? 0)),
  }));
}
