import type { ListQuery, Page, Redemption, RedemptionFilters, RedemptionTotals } from '@relay-hub/contract';
import { redemptionStatus } from '@relay-hub/contract';
import type { RawBuilder, SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import { startsWith } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { idNamed } from '#features/account/user/user-named.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';
import type { Secrets } from '#secrets.ts';
import { codeHint, isCode, plainCode } from './redemption-code.ts';

/** A code's visible columns; `key_hint` is called `key` on the wire. */
export const redemptionFields = [
  'id',
  'user_id',
  'key_hint as key',
  'status',
  'name',
  'quota',
  'plan_id',
  'created_time',
  'expired_time',
  'redeemed_time',
  'redeemed_user_id',
] as const;

type RedemptionRow = Omit<Redemption, 'username' | 'redeemed_username'>;

/** A code's current status: an enabled code past its expiry is expired. */
export const statusNow = (now: number): RawBuilder<number> => sql<number>`case
  when status = ${redemptionStatus.enabled} and expired_time <> -1 and expired_time <= ${now}
  then ${redemptionStatus.expired} else status end`;

/** Existing codes that match a filter. */
export function filtered(
  db: Db,
  filters: RedemptionFilters,
  now: number,
): SelectQueryBuilder<Tables, 'redemptions', object> {
  const { keyword, status, created_by, redeemed_by, start_timestamp, end_timestamp } = filters;
  let found = db.selectFrom('redemptions').where('deleted_time', 'is', null);
  if (keyword !== '') {
    const hint = isCode(keyword) ? codeHint(plainCode(keyword)) : keyword;
    found = found.where(({ eb, or }) =>
      or([startsWith('name', keyword), eb('id', '=', idIn(keyword)), eb('key_hint', '=', hint)]),
    );
  }
  if (status !== 0) found = found.where(statusNow(now), '=', status);
  if (created_by !== '') found = found.where('user_id', '=', idNamed(created_by));
  if (redeemed_by !== '') found = found.where('redeemed_user_id', '=', idNamed(redeemed_by));
  if (start_timestamp !== 0) found = found.where('created_time', '>=', start_timestamp);
  if (end_timestamp !== 0) found = found.where('created_time', '<=', end_timestamp);
  return found;
}

/** The id that a keyword may name; 0, which does not exist, for other text. */
const idIn = (keyword: string): number => (/^#?\d{1,15}$/.test(keyword) ? Number(keyword.replace('#', '')) : 0);

export async function listRedemptions(
  db: Db,
  query: ListQuery & RedemptionFilters,
  now: number,
): Promise<Page<Redemption>> {
  const page = await pageOfRows(filtered(db, query, now).select(redemptionFields), query);
  return { ...page, data: await withNames(db, page.data) };
}

/** Number and value of matching codes by status. */
export async function totalsOf(db: Db, filters: RedemptionFilters, now: number): Promise<RedemptionTotals> {
  const rows = await db
    .selectFrom(
      filtered(db, filters, now)
        .select(['quota', statusNow(now).as('state')])
        .as('codes'),
    )
    // As decimals, because a sum beyond the safe integer range must not fail the page.
    .select(({ fn }) => ['state', fn.countAll<number>().as('count'), fn.sum<number>(asDecimal).as('quota')])
    .groupBy('state')
    .execute();
  const of = (status: number) => {
    const row = rows.find(({ state }) => state === status);
    return { count: row?.count ?? 0, quota: Math.min(row?.quota ?? 0, Number.MAX_SAFE_INTEGER) };
  };
  const { enabled, used, disabled, expired } = redemptionStatus;
  return { unredeemed: of(enabled), redeemed: of(used), disabled: of(disabled), expired: of(expired) };
}

const asDecimal = sql<number>`cast(quota as double precision)`;

export async function getRedemption(db: Db, id: number): Promise<Redemption> {
  const row = await db
    .selectFrom('redemptions')
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .select(redemptionFields)
    .executeTakeFirst();
  return named(db, row);
}

/** The full code. */
export async function revealCode(db: Db, secrets: Secrets, id: number): Promise<string> {
  const row = await db
    .selectFrom('redemptions')
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .select('key_cipher')
    .executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return secrets.decrypt(row.key_cipher);
}

/** One row with its names. Throws `record.not_found`. */
export async function named(db: Db, row: RedemptionRow | undefined): Promise<Redemption> {
  ensure(row, 'record.not_found', { field: 'id' });
  const [found] = await withNames(db, [row]);
  ensure(found, 'record.not_found', { field: 'id' });
  return found;
}

/** Adds the user names of creators and redeemers. */
export async function withNames(db: Db, rows: RedemptionRow[]): Promise<Redemption[]> {
  const ids = [...new Set(rows.flatMap(({ user_id, redeemed_user_id }) => [user_id, redeemed_user_id]))];
  const users =
    ids.length === 0 ? [] : await db.selectFrom('users').where('id', 'in', ids).select(['id', 'username']).execute();
  const names = new Map(users.map(({ id, username }) => [id, username]));
  return rows.map((row) => ({
    ...row,
    username: names.get(row.user_id) ?? '',
    redeemed_username: names.get(row.redeemed_user_id) ?? '',
  }));
}
