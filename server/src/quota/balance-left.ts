import type { Db } from '#db/tables.ts';
import type { CreditNeed, CreditRefusal } from './leased-credits.ts';

/**
 * Which balance is used up: the user's or, if it is limited, the token's. Credits held for open calls and leases count
 * as left. Undefined: neither.
 */
export async function emptyBalance(
  db: Db,
  { userId, tokenId, limited }: Omit<CreditNeed, 'reserved'>,
): Promise<CreditRefusal | undefined> {
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

/** Credits of the user or the token that no open call and no node holds. */
export async function creditsLeft(
  db: Db,
  whose: CreditRefusal,
  { userId, tokenId }: Pick<CreditNeed, 'userId' | 'tokenId'>,
): Promise<number> {
  const row =
    whose === 'user_quota'
      ? await db.selectFrom('users').where('id', '=', userId).select('quota as left').executeTakeFirst()
      : await db.selectFrom('tokens').where('id', '=', tokenId).select('remain_quota as left').executeTakeFirst();
  return Math.max(0, row?.left ?? 0);
}
