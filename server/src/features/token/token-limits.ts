import {
  asFamilyLimits,
  capName,
  type GroupTokenLimits,
  noLimits,
  type Token,
  tokenLimits,
  type TokenLimits,
  type TokenMetadata,
} from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { AppError, ensure } from '#errors.ts';
import { effectiveCaps } from '#live/caller-limits.ts';
import { capUses, countersOf } from '#live/cap-use.ts';

type DerivedFields = keyof ReturnType<typeof asFamilyLimits> | 'use' | 'limits' | 'metadata';

/** A row of `tokens` before its derived fields are added. */
export type TokenRow = Omit<Token, DerivedFields> & { limits: TokenLimits | null; metadata: TokenMetadata | null };

/** Tokens of one user with the use of their limits. */
export async function withUse(db: Db, userId: number, rows: readonly TokenRow[], now: number): Promise<Token[]> {
  if (rows.length === 0) return [];
  const group = await db
    .selectFrom('users')
    .innerJoin('user_groups', 'user_groups.symbol', 'users.group')
    .where('users.id', '=', userId)
    .select('user_groups.token_limits')
    .executeTakeFirst();
  const counters = await countersOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ limits, metadata, ...row }) => {
    const own = limits ?? noLimits;
    const caps = effectiveCaps(limits, group?.token_limits);
    const mine = counters.filter(({ token_id }) => token_id === row.id);
    return {
      ...row,
      limits: own,
      metadata: metadata ?? {},
      ...asFamilyLimits(own),
      use: capUses(caps, own, mine, now),
    };
  });
}

/** Limits that are valid and within the ceilings of the owner's group. Throws a refusal that names the field. */
export function checkedLimits(limits: TokenLimits, group: GroupTokenLimits | null | undefined): TokenLimits {
  const parsed = tokenLimits.safeParse(limits);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new AppError('token.limits', { field: ['limits', ...(issue?.path ?? [])].join('.') });
  }
  for (const [at, cap] of parsed.data.caps.entries()) {
    const ceiling = group?.ceilings.find((one) => capName(one) === capName(cap));
    ensure(!ceiling || cap.amount <= ceiling.amount, 'token.ceiling', {
      field: `limits.caps.${at}.amount`,
      limit: ceiling?.amount ?? 0,
    });
  }
  return parsed.data;
}
