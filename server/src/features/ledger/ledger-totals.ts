import type { LedgerTotals } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { findEntries } from './find-entries.ts';

interface LedgerPeriod {
  start_timestamp: number;
  end_timestamp: number;
}

/** A user's balance, and its changes in a period. */
export async function totalsOf(db: Db, userId: number, period: LedgerPeriod): Promise<LedgerTotals> {
  const user = await db
    .selectFrom('users')
    .where('id', '=', userId)
    .select(['id', 'username', 'role', 'held', 'used_quota'])
    .select((eb) => eb('quota', '+', eb.ref('held')).as('quota'))
    .executeTakeFirst();
  ensure(user, 'record.not_found', { field: 'user_id' });
  const { id, ...account } = user;
  const [moved, spent] = await Promise.all([movedApartFromCalls(db, id, period), spentOnCalls(db, id, period)]);
  return { user_id: id, ...account, ...moved, spent };
}

/** These entries are few: each was made by a person. */
async function movedApartFromCalls(
  db: Db,
  userId: number,
  period: LedgerPeriod,
): Promise<{ added: number; removed: number }> {
  const others = findEntries(db, {
    ...period,
    userId,
    keyword: '',
    kind: [
      'opening',
      'gift',
      'reward',
      'topup',
      'redemption',
      'reserve',
      'release',
      'refund',
      'dispute',
      'plan',
      'correction',
      'transfer',
    ],
  });
  return db
    .selectFrom(others.as('other'))
    .innerJoin('ledger', 'ledger.id', 'other.id')
    .select([
      sql<number>`coalesce(sum(case when ledger.credits > 0 then ledger.credits else 0 end), 0)`.as('added'),
      sql<number>`coalesce(sum(case when ledger.credits < 0 then -ledger.credits else 0 end), 0)`.as('removed'),
    ])
    .executeTakeFirstOrThrow();
}

const HOUR_S = 3600;

/** Whole hours come from the roll-up; entries are read only for the partial hours at both ends. */
async function spentOnCalls(
  db: Db,
  userId: number,
  { start_timestamp: start, end_timestamp: end }: LedgerPeriod,
): Promise<number> {
  const until = end === 0 ? Number.MAX_SAFE_INTEGER : end + 1;
  const firstHour = Math.ceil(start / HOUR_S) * HOUR_S;
  const hoursEnd = Math.floor(until / HOUR_S) * HOUR_S;
  if (hoursEnd <= firstHour) return charged(db, userId, start, until);
  const [before, hours, after] = await Promise.all([
    charged(db, userId, start, firstHour),
    db
      .selectFrom('usage_by_user')
      .where('user_id', '=', userId)
      .where('hour', '>=', firstHour)
      .where('hour', '<', hoursEnd)
      .select(sql<number>`coalesce(sum(quota), 0)`.as('credits'))
      .executeTakeFirstOrThrow(),
    charged(db, userId, hoursEnd, until),
  ]);
  return before + hours.credits + after;
}

async function charged(db: Db, userId: number, from: number, until: number): Promise<number> {
  if (from >= until) return 0;
  const { credits } = await db
    .selectFrom('ledger')
    .where('user_id', '=', userId)
    .where('kind', '=', 'settle')
    .where('created_time', '>=', from)
    .where('created_time', '<', until)
    .select(sql<number>`coalesce(-sum(credits), 0)`.as('credits'))
    .executeTakeFirstOrThrow();
  return credits;
}
