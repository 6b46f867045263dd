import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { UsageSums } from '#db/tables/roll-ups.ts';
import { dayEnd, dayStart, monthEnd, monthStart } from './local-days.ts';
import { gapsBetween } from './usage-blocks.ts';
import type { Stretch } from './usage-by-group.ts';
import { addUsage, noUsage, sumNames } from './usage-scope.ts';

/** Age at which a finished day is sealed. By then nearly all late calls are in its hours. */
const SETTLED_S = 2 * 86_400;
/** Rows per transaction, so that the writer is never blocked for long. */
const ROWS_AT_ONCE = 200;

/** The day itself first: without it, readers use the hours and ignore the remaining rows. */
export const dayTables = [
  'usage_days',
  'usage_days_by_user',
  'usage_days_by_channel',
  'usage_days_of_users',
  'usage_days_by_token',
  'speed_days_by_token',
  'speed_days_by_channel',
] as const satisfies (keyof Tables)[];

type Db = Kysely<Tables>;

/** Seals finished days that are not sealed yet, and months of them. Returns the number of days. Idempotent. */
export async function sealDays(db: Db, now: number): Promise<number> {
  const count = await sealNewDays(db, now);
  await sealMonths(db);
  return count;
}

async function sealNewDays(db: Db, now: number): Promise<number> {
  const { first } = await db
    .selectFrom('usage_by_channel')
    .select(({ fn }) => fn.min<number | null>('hour').as('first'))
    .executeTakeFirstOrThrow();
  if (first === null) return 0;
  const sealed = await db
    .selectFrom('usage_days')
    .orderBy('day_start')
    .select(['day_start as start', 'day_end as end'])
    .execute();
  let count = 0;
  for (const gap of gapsBetween(sealed, dayStart(first), now - SETTLED_S)) {
    for (let start = gap.start; start < gap.end;) {
      // An existing day may have been cut in another time zone; end before it.
      const end = sealed.some((day) => day.start === gap.end) ? Math.min(dayEnd(start), gap.end) : dayEnd(start);
      if (end > now - SETTLED_S) break;
      await sealDay(db, start, end);
      count++;
      start = end;
    }
  }
  return count;
}

/**
 * Seals days again whose hours changed after sealing, because a call was written later than `SETTLED_S`. Returns their
 * number.
 */
export async function sealChangedDays(db: Db): Promise<number> {
  const days = await db.selectFrom('usage_days').select(['day_start', 'day_end', 'request_count']).execute();
  let count = 0;
  for (const { day_start: start, day_end: end, request_count: known } of days) {
    if ((await sumOfHours(db, start, end)).request_count === known) continue;
    await forgetMonths(db, start, end);
    for (const table of dayTables) await db.deleteFrom(table).where('day_start', '=', start).execute();
    await sealDay(db, start, end);
    // Another node may have summed up the month meanwhile.
    await forgetMonths(db, start, end);
    count++;
  }
  return count;
}

/** Sums up the months all of whose days are sealed. */
async function sealMonths(db: Db): Promise<void> {
  const months = await db.selectFrom('usage_months').select('month_start').execute();
  const known = new Set(months.map(({ month_start: start }) => start));
  const days = await db
    .selectFrom('usage_days')
    .orderBy('day_start')
    .select(['day_start as start', 'day_end as end'])
    .execute();
  for (const [start, ofMonth] of Map.groupBy(days, (day) => monthStart(day.start))) {
    const end = monthEnd(start);
    // A day that was cut in another time zone may reach into another month.
    if (known.has(start) || gapsBetween(ofMonth, start, end).length > 0 || ofMonth.some((day) => day.end > end))
      continue;
    await sealRows(
      db,
      { start, end },
      { from: 'usage_days_of_users', to: 'usage_months_of_users', key: ['user_id'], sums: sumNames },
    );
    // Last, because readers use the month as soon as this row exists.
    await db
      .insertInto('usage_months')
      .values({ month_start: start, month_end: end })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    // Another node may have sealed a day again meanwhile.
    if (
      (await callsOf(db, 'usage_months_of_users', start, end)) !==
      (await callsOf(db, 'usage_days_of_users', start, end))
    )
      await forgetMonths(db, start, end);
  }
}

async function callsOf(
  db: Db,
  table: 'usage_months_of_users' | 'usage_days_of_users',
  start: number,
  end: number,
): Promise<number> {
  const time = sql.ref<number>(table === 'usage_days_of_users' ? 'day_start' : 'month_start');
  const { rows } = await sql<{ calls: number }>`select coalesce(sum(request_count), 0) as calls
    from ${sql.table(table)} where ${time} >= ${start} and ${time} < ${end}`.execute(db);
  return rows[0]?.calls ?? 0;
}

/** Readers use the days of a month that is not there. */
async function forgetMonths(db: Db, from: number, until: number): Promise<void> {
  const months = await db
    .deleteFrom('usage_months')
    .where('month_start', '<', until)
    .where('month_end', '>', from)
    .returning('month_start')
    .execute();
  for (const { month_start: start } of months)
    await db.deleteFrom('usage_months_of_users').where('month_start', '=', start).execute();
}

async function sealDay(db: Db, start: number, end: number): Promise<void> {
  const byUser = await db
    .selectFrom('users')
    // User by user, because the roll-up's key starts with the user. SQLite keeps the order of a cross join.
    .crossJoin('usage_by_user as usage')
    .whereRef('usage.user_id', '=', 'users.id')
    .where('hour', '>=', start)
    .where('hour', '<', end)
    .groupBy(['usage.user_id', 'model_name'])
    .select(['usage.user_id', 'model_name', ...sumsOf('usage')])
    .execute();
  // Another node may seal the same day. Its sums are equal, so the first insert wins.
  for (const rows of pieces(byUser.map((row) => ({ ...row, day_start: start }))))
    await db
      .insertInto('usage_days_by_user')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  for (const rows of pieces(ofUsers(byUser).map((row) => ({ ...row, day_start: start }))))
    await db
      .insertInto('usage_days_of_users')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const byChannel = await db
    .selectFrom('usage_by_channel as usage')
    .where('hour', '>=', start)
    .where('hour', '<', end)
    .groupBy(['channel_id', 'model_name'])
    .select(['channel_id', 'model_name', ...sumsOf('usage')])
    .execute();
  for (const rows of pieces(byChannel.map((row) => ({ ...row, day_start: start }))))
    await db
      .insertInto('usage_days_by_channel')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const byToken = ['user_id', 'token_id', 'model_name'] as const;
  await sealRows(
    db,
    { start, end },
    { from: 'usage_by_token', to: 'usage_days_by_token', key: byToken, sums: sumNames },
  );
  const speed = ['measure', 'bucket'] as const;
  await sealRows(
    db,
    { start, end },
    { from: 'speeds_by_token', to: 'speed_days_by_token', key: [...byToken, ...speed], sums: ['calls'] },
  );
  await sealRows(
    db,
    { start, end },
    {
      from: 'speeds_by_channel',
      to: 'speed_days_by_channel',
      key: ['channel_id', 'model_name', ...speed],
      sums: ['calls'],
    },
  );
  // Last, because readers use the day as soon as this row exists.
  await db
    .insertInto('usage_days')
    .values({ ...(await sumOfHours(db, start, end)), day_start: start, day_end: end })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

interface Sealing {
  from: 'usage_by_token' | 'speeds_by_token' | 'speeds_by_channel' | 'usage_days_of_users';
  to: 'usage_days_by_token' | 'speed_days_by_token' | 'speed_days_by_channel' | 'usage_months_of_users';
  key: readonly string[];
  sums: readonly string[];
}

/** Writes the rows of a day, or of a month, of a table. Another node may have done so. */
async function sealRows(db: Db, { start, end }: Stretch, { from, to, key, sums }: Sealing): Promise<void> {
  const keys = sql.join(key.map((name) => sql.ref(`usage.${name}`)));
  const isOfMonth = from === 'usage_days_of_users';
  const time = sql.ref(isOfMonth ? 'usage.day_start' : 'usage.hour');
  // User by user, as above, where the key of the table begins with the user.
  const rowsOf =
    key.includes('user_id') && !isOfMonth
      ? sql`users cross join ${sql.table(from)} as usage where usage.user_id = users.id and`
      : sql`${sql.table(from)} as usage where`;
  const { rows } = await sql<Record<string, string | number>>`
    select ${keys}, ${sql.join(sums.map((name) => sql`sum(usage.${sql.ref(name)}) as ${sql.ref(name)}`))}
    from ${rowsOf} ${time} >= ${start} and ${time} < ${end} group by ${keys}`.execute(db);
  const begins = isOfMonth ? 'month_start' : 'day_start';
  const columns = [begins, ...key, ...sums];
  for (const some of pieces(rows))
    await sql`insert into ${sql.table(to)} (${sql.join(columns.map((name) => sql.ref(name)))})
      values ${sql.join(some.map((row) => sql`(${sql.join(columns.map((name) => (name === begins ? start : row[name])))})`))}
      on conflict do nothing`.execute(db);
}

/** Adds up all models of each user. */
function ofUsers(rows: readonly (UsageSums & { user_id: number })[]): (UsageSums & { user_id: number })[] {
  const users = new Map<number, UsageSums>();
  for (const row of rows) users.set(row.user_id, addUsage(users.get(row.user_id) ?? noUsage, row));
  return [...users].map(([userId, sums]) => ({ user_id: userId, ...sums }));
}

async function sumOfHours(db: Db, start: number, end: number): Promise<UsageSums> {
  return db
    .selectFrom('usage_by_channel as usage')
    .where('hour', '>=', start)
    .where('hour', '<', end)
    .select(sumsOf('usage'))
    .executeTakeFirstOrThrow();
}

const sumsOf = (table: string) =>
  sumNames.map((name) => sql<number>`coalesce(sum(${sql.ref(`${table}.${name}`)}), 0)`.as(name));

function* pieces<Row>(rows: Row[]): Generator<Row[], void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) yield rows.slice(at, at + ROWS_AT_ONCE);
}
