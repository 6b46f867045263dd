import {
  asFamilyLimits,
  capName,
  type GroupTokenLimits,
  noLimits,
  type OldKey,
  type Token,
  tokenLimits,
  type TokenLimits,
  type TokenMetadata,
  tokenScope,
} from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { AppError, ensure } from '#errors.ts';
import { effectiveCaps } from '#live/caller-limits.ts';
import { capUses, countersOf } from '#live/cap-use.ts';

type KeyFields = 'key_used_time' | 'key_used_ip' | 'old_key';
type DerivedFields = keyof ReturnType<typeof asFamilyLimits> | 'use' | 'limits' | 'metadata' | KeyFields;

/** A row of `tokens` before its derived fields are added. */
export type TokenRow = Omit<Token, DerivedFields> & { limits: TokenLimits | null; metadata: TokenMetadata | null };

/** Tokens with the use of their limits and keys. */
export async function withUse<Row extends TokenRow>(
  db: Db,
  rows: readonly Row[],
  now: number,
): Promise<(Omit<Row, 'limits' | 'metadata'> & Pick<Token, DerivedFields>)[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const owners = [...new Set(rows.map(({ user_id }) => user_id))];
  const groups = await db
    .selectFrom('users')
    .innerJoin('user_groups', 'user_groups.symbol', 'users.group')
    .where('users.id', 'in', owners)
    .select(['users.id', 'user_groups.token_limits'])
    .execute();
  const groupLimits = new Map(groups.map((group) => [group.id, group.token_limits]));
  const counters = await countersOf(db, ids.map(tokenScope));
  const keys = await keysOf(db, ids);
  return rows.map(({ limits, metadata, ...row }) => {
    const own = limits ?? noLimits;
    const caps = effectiveCaps(limits, groupLimits.get(row.user_id));
    return {
      ...row,
      limits: own,
      metadata: metadata ?? {},
      ...keys(row.id),
      ...asFamilyLimits(own),
      use: capUses(row.id, { ...own, caps }, counters, now),
    };
  });
}

/** Last uses of the keys of tokens, and their old keys. */
async function keysOf(db: Db, ids: readonly number[]): Promise<(id: number) => Pick<Token, KeyFields>> {
  const used = await db
    .selectFrom('tokens')
    .innerJoin('key_uses', 'key_uses.key_hash', 'tokens.key_hash')
    .where('tokens.id', 'in', ids)
    .select(['tokens.id', 'used_time', 'used_ip'])
    .execute();
  const old = await db
    .selectFrom('token_old_keys')
    .leftJoin('key_uses', 'key_uses.key_hash', 'token_old_keys.key_hash')
    .where('token_id', 'in', ids)
    .select(['token_id', 'key_hint', 'valid_until', 'used_time', 'used_ip'])
    .execute();
  return (id) => {
    const use = used.find((one) => one.id === id);
    const before = old.find(({ token_id }) => token_id === id);
    const old_key: OldKey | null = before
      ? {
          key: before.key_hint.replace(/^sk-/, ''),
          valid_until: before.valid_until,
          used_time: before.used_time ?? 0,
          used_ip: before.used_ip ?? '',
        }
      : null;
    return { key_used_time: use?.used_time ?? 0, key_used_ip: use?.used_ip ?? '', old_key };
  };
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
