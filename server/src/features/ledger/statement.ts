import type { HolderUsage, LedgerKind, Statement } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import type { WallClock } from '#roll-ups/wall-clock.ts';

interface Month {
  from: number;
  until: number;
}

/** Whole hours of a month, `YYYY-MM`. Throws `analytics.future` for one that has not begun. */
export function monthOf(month: string, clock: WallClock, now: number): Month {
  const from = clock.startOf(`${month}-01`);
  ensure(from <= now, 'analytics.future', { field: 'month' });
  return { from, until: clock.monthEnd(from) };
}

/** A user's statement of a month. Throws `record.not_found`. */
export async function statementOf(
  db: Db,
  userId: number,
  { month, clock, now }: { month: string; clock: WallClock; now: number },
): Promise<Statement> {
  const { from, until } = monthOf(month, clock, now);
  // One statement, so that the balance and its entries are of the same moment.
  const { rows } = await sql<{
    username: string;
    balance: number;
    kind: LedgerKind | null;
    credits: number;
    count: number;
    later: number;
  }>`
    select u.username, u.quota + u.held as balance, l.kind, coalesce(l.credits, 0) as credits,
      coalesce(l.count, 0) as count, coalesce(l.later, 0) as later
    from users u left join (
      select kind, sum(case when created_time < ${until} then credits else 0 end) as credits,
        sum(case when created_time < ${until} then 1 else 0 end) as count,
        sum(case when created_time < ${until} then 0 else credits end) as later
      from ledger where user_id = ${userId} and created_time >= ${from} group by kind
    ) l on 1 = 1
    where u.id = ${userId}`.execute(db);
  const [user] = rows;
  ensure(user, 'record.not_found', { field: 'user_id' });
  const closing = user.balance - rows.reduce((sum, { later }) => sum + later, 0);
  const moved = rows.reduce((sum, { credits }) => sum + credits, 0);
  // Not −0, which JSON would keep from being equal to 0.
  const spent = 0 - (rows.find(({ kind }) => kind === 'settle')?.credits ?? 0);
  const read = await readUsage(db, userId, { from, until });
  const usage = listed(read);
  return {
    user_id: userId,
    username: user.username,
    month,
    time_zone: clock.zone,
    from,
    until,
    closed: until <= now,
    opening: closing - moved,
    closing,
    entries: rows
      .flatMap(({ kind, credits, count }) =>
        kind === null || kind === 'settle' || count === 0 ? [] : [{ kind, credits, count }],
      )
      .toSorted((a, b) => b.credits - a.credits),
    spent,
    usage,
    ...holdersOf(read),
    unlisted: usage.reduce((rest, { quota }) => rest - quota, spent),
  };
}

interface TokenUsage {
  token_id: number;
  name: string | null;
  tag: string | null;
  member_id: number | null;
  member: string | null;
  model_name: string;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
}

/** Usage by token and model, from the roll-ups. */
const readUsage = (db: Db, userId: number, { from, until }: Month): Promise<TokenUsage[]> =>
  db
    .selectFrom('usage_by_token as usage')
    .leftJoin('tokens', 'tokens.id', 'usage.token_id')
    .leftJoin('users as people', 'people.id', 'tokens.member_id')
    .where('usage.user_id', '=', userId)
    .where('hour', '>=', from)
    .where('hour', '<', until)
    .groupBy(['usage.token_id', 'tokens.name', 'tokens.tag', 'tokens.member_id', 'model_name'])
    .groupBy(['people.username', 'people.deleted_name'])
    .select(({ fn }) => [
      'usage.token_id',
      'tokens.name',
      'tokens.tag',
      'tokens.member_id',
      sql<string | null>`coalesce(people.deleted_name, people.username)`.as('member'),
      'model_name',
      fn.sum<number>('usage.request_count').as('requests'),
      fn.sum<number>('prompt_tokens').as('prompt_tokens'),
      fn.sum<number>('completion_tokens').as('completion_tokens'),
      fn.sum<number>('usage.quota').as('quota'),
    ])
    .execute();

const listed = (rows: readonly TokenUsage[]): Statement['usage'] =>
  rows
    .map((row) => ({
      token_id: row.token_id,
      token_name: row.name ?? '',
      member: row.member ?? '',
      cost_centre: row.tag ?? '',
      model: row.model_name,
      requests: row.requests,
      prompt_tokens: row.prompt_tokens,
      completion_tokens: row.completion_tokens,
      quota: row.quota,
    }))
    .toSorted((a, b) => b.quota - a.quota || (a.model < b.model ? -1 : 1));

/** By holder and by cost centre; without one of any token the list is empty. */
function holdersOf(rows: readonly TokenUsage[]): HolderUsage {
  const summed = (some: readonly TokenUsage[]) => ({
    requests: some.reduce((sum, { requests }) => sum + requests, 0),
    quota: some.reduce((sum, { quota }) => sum + quota, 0),
  });
  const grouped = <T extends { quota: number }>(parts: Iterable<T>) => [...parts].toSorted((a, b) => b.quota - a.quota);
  const hasMembers = rows.some(({ member_id: member }) => member !== null);
  const hasTags = rows.some(({ tag }) => tag !== null && tag !== '');
  const byMember = Map.groupBy(hasMembers ? rows : [], ({ member_id: member }) => member ?? 0);
  const byTag = Map.groupBy(hasTags ? rows : [], ({ tag }) => tag ?? '');
  return {
    members: grouped(
      [...byMember].map(([user_id, some]) => ({ user_id, username: some[0]?.member ?? '', ...summed(some) })),
    ),
    cost_centres: grouped([...byTag].map(([name, some]) => ({ name, ...summed(some) }))),
  };
}

/** Charges of an account's calls in a period of whole hours, by holder and cost centre of the tokens. */
export const holderUsageOf = async (db: Db, userId: number, period: Month): Promise<HolderUsage> =>
  holdersOf(await readUsage(db, userId, period));

interface FamilyMonth {
  date: string;
  request_count: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  request_time: number;
}

type FamilySums = Omit<FamilyMonth, 'date'>;

const noSums: FamilySums = { request_count: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0, request_time: 0 };

/** A user's usage by past month, newest first, as one-hub lists it. */
export async function familyMonths(db: Db, userId: number, clock: WallClock, now: number): Promise<FamilyMonth[]> {
  const rows = await db
    .selectFrom('usage_by_user')
    .where('user_id', '=', userId)
    .where('hour', '<', clock.startOf(`${clock.dateOf(clock.dayOf(now)).slice(0, 7)}-01`))
    .groupBy('hour')
    .select(['hour', ...familySums])
    .execute();
  const months = new Map<string, FamilySums>();
  for (const { hour, ...sums } of rows) {
    const date = `${clock.dateOf(hour).slice(0, 7)}-01`;
    months.set(date, added(months.get(date) ?? noSums, sums));
  }
  return [...months].map(([date, sums]) => ({ date, ...sums })).toSorted((a, b) => (a.date < b.date ? 1 : -1));
}

/** A user's usage of a month by model, as one-hub has it. */
export async function familyMonth(
  db: Db,
  userId: number,
  { month, clock, now }: { month: string; clock: WallClock; now: number },
): Promise<(FamilyMonth & { model_name: string })[]> {
  const { from, until } = monthOf(month, clock, now);
  const rows = await db
    .selectFrom('usage_by_user')
    .where('user_id', '=', userId)
    .where('hour', '>=', from)
    .where('hour', '<', until)
    .groupBy('model_name')
    .select(['model_name', ...familySums])
    .execute();
  return rows
    .map(({ model_name, ...sums }) => ({ date: `${month}-01`, model_name, ...added(noSums, sums) }))
    .toSorted((a, b) => b.quota - a.quota || (a.model_name < b.model_name ? -1 : 1));
}

const familySums = (Object.keys(noSums) as (keyof FamilySums)[]).map((name) =>
  sql<number>`sum(${sql.ref(name)})`.as(name),
);

const added = (a: FamilySums, b: FamilySums): FamilySums => ({
  request_count: a.request_count + b.request_count,
  quota: a.quota + b.quota,
  prompt_tokens: a.prompt_tokens + b.prompt_tokens,
  completion_tokens: a.completion_tokens + b.completion_tokens,
  request_time: a.request_time + b.request_time,
});
