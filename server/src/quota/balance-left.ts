import type { Db } from '#db/tables.ts';
import type { Needs, Refusal } from './leased-credits.ts';

/**
 * Whose balance is used up, of a user and, where it is limited, the token: what is held for open calls and leases is not.
 * Undefined: nobody's.
 */
export async function whoHasNothing(
  db: Db,
  { userId, tokenId, limited }: Omit<Needs, 'reserved'>,
): Promise<Refusal | undefined> {
  const user = await db.selectFrom('users').where('id', '=', userId).select(['quota', 'held']).executeTakeFirst();
  if (!user || user.quota + user.held <= 0) return 'user_quota';
  if (!limited) return undefined;
  const token = await db
    .selectFrom('tokens')
    .where('id', '=', tokenId)
    .select(['remain_quota', 'held'])
    .executeTakeFirst();
  return !token || token.remain_quota + token.held <= 0 ? 'token_quota' : undefined;
}
