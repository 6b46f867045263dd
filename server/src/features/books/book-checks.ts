import type { BookCheck, BookDifference } from '@relay-hub/contract';
import { logType, paidStatuses } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { type RawBuilder, sql } from 'kysely';
import { byId } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import { withPending } from '#quota/pending-sums.ts';

/** The result of one check: how many items were compared, and which differ. */
export interface CheckResult {
  compared: number;
  differing: number;
  differences: BookDifference[];
}

/** Maximum number of differences listed. */
export const MOST_DIFFERENCES = 20;

/** The part of the accounting that is compared: entries and rows by id, sums by hour. */
export interface Span {
  entries: IdRange;
  rows: IdRange;
  hours: { from: number; until: number };
  /** Sums of everything before are in `signed_sums`. */
  isContinued: boolean;
}

export interface IdRange {
  after: number;
  upTo: number;
}

const allIds: IdRange = { after: 0, upTo: Number.MAX_SAFE_INTEGER };
export const everything: Span = {
  entries: allIds,
  rows: allIds,
  hours: { from: 0, until: Number.MAX_SAFE_INTEGER },
  isContinued: false,
};

export interface CheckContext {
  db: Kysely<Tables>;
  /** Unix seconds; earlier rows may have been deleted, while their sums remain. */
  cleanedBefore: number;
  span: Span;
}

/** Calls that came with an import: their charges are part of the opening balance. */
export const importedRows = 'import-%';

/** Usage that came with an import, and the part of it that is in the log. */
const importedUsage = (kind: 'user' | 'token' | 'channel', alias: string) => sql`left join (
    select new_id, sum(used_quota) as used, sum(logged_quota) as logged from import_records where kind = ${kind} group by new_id
  ) i on i.new_id = ${sql.ref(`${alias}.id`)}`;

/** Credits of a task's charge that were returned: all without a result, and of a batch what it did not use. */
const returnedOfTask = sql.raw(`(case when t.settled_quota is not null then t.quota - t.settled_quota
            when t.status in ('FAILURE', 'CANCEL') then t.quota else 0 end)`);

type SqlCheck = (context: CheckContext) => Promise<CheckResult>;

/** Entries, or rows, of the span, to be read in the order of their ids. */
export const entriesIn = ({ db, span: { entries } }: CheckContext): RawBuilder<unknown> =>
  sql`(select * from ${byId(db, 'ledger')} where id > ${entries.after} and id <= ${entries.upTo})`;
export const rowsIn = ({ db, span: { rows } }: CheckContext): RawBuilder<unknown> =>
  sql`(select * from ${byId(db, 'logs')} where id > ${rows.after} and id <= ${rows.upTo})`;

/** Joins what signed days add to the sums of the span, as `b.credits`. */
const signedSums = (kind: Tables['signed_sums']['kind'], { span }: CheckContext, id: RawBuilder<unknown>) =>
  sql`left join signed_sums b on ${sql.lit(span.isContinued)} and b.kind = ${kind} and b.name = '' and b.id = ${id}`;

type ByUser = 'usage_by_user' | 'usage_by_token' | 'failures';

/** Sums by hour of the span, including pending sums. */
function hoursIn({ db, span }: CheckContext, table: ByUser | 'usage_by_channel'): RawBuilder<unknown> {
  const { from, until } = span.hours;
  const sums = withPending(db, table);
  if (span === everything) return sql`${sums} s`;
  const within = sql`s.hour >= ${from} and s.hour < ${until}`;
  // User by user, because the keys start with the user. SQLite keeps the order of a cross join.
  return table === 'usage_by_channel'
    ? sql`(select s.* from ${sums} s where ${within}) s`
    : sql`(select s.* from users cross join ${sums} s where s.user_id = users.id and ${within}) s`;
}

/** Checks that run entirely in SQL. */
export const sqlChecks: Record<
  Exclude<BookCheck, 'signed' | 'explained' | 'journals' | 'attempts' | 'costs' | 'limits'>,
  SqlCheck
> = {
  /** A balance equals the sum of its entries. */
  balances: (context) =>
    differing(
      context,
      'users',
      sql`select 'user ' || u.id || ' (' || u.username || ')' as label, coalesce(b.credits, 0) + coalesce(l.credits, 0) as expected,
          u.quota + u.held as found
        from users u left join (select user_id, sum(credits) as credits from ${entriesIn(context)} e group by user_id) l on l.user_id = u.id
          ${signedSums('user', context, sql`u.id`)}
        where u.quota + u.held <> coalesce(b.credits, 0) + coalesce(l.credits, 0)`,
    ),
  /** Each entry's balance equals the previous balance plus its credits. */
  entry_chain: (context) =>
    differing(
      context,
      'ledger',
      sql`select 'entry ' || e.id || ' (' || reference || ')' as label, running + coalesce(b.credits, 0) as expected, balance_after as found
        from (select id, user_id, reference, balance_after, sum(credits) over (partition by user_id order by id) as running
          from ${entriesIn(context)} l) e
          ${signedSums('user', context, sql`e.user_id`)}
        where running + coalesce(b.credits, 0) <> balance_after`,
    ),
  /** An account's held credits equal what nodes have leased. */
  held: (context) =>
    differing(
      context,
      'users',
      sql`select 'user ' || u.id as label, coalesce(l.credits, 0) as expected, u.held as found
        from users u left join (select user_id, sum(credits) as credits from leases where token_id = 0 group by user_id) l on l.user_id = u.id
        where u.held <> coalesce(l.credits, 0)
        union all
        select 'token ' || t.id, coalesce(l.credits, 0), t.held
        from tokens t left join (select token_id, sum(credits) as credits from leases where token_id <> 0 group by token_id) l on l.token_id = t.id
        where t.held <> coalesce(l.credits, 0)`,
    ),
  /** A user's used quota equals their charges, both in entries and in row sums. */
  charges: (context) =>
    differing(
      context,
      'users',
      sql`select 'user ' || u.id as label, u.used_quota - coalesce(i.used, 0) as expected, coalesce(b.credits, 0) + coalesce(l.credits, 0) as found
        from users u left join (
            select user_id, -sum(credits) as credits from ${entriesIn(context)} e where kind = 'settle' group by user_id
          ) l on l.user_id = u.id
          ${signedSums('charged', context, sql`u.id`)}
          ${importedUsage('user', 'u')}
        where u.used_quota - coalesce(i.used, 0) <> coalesce(b.credits, 0) + coalesce(l.credits, 0)
        union all
        select 'user ' || u.id || ', by hour', u.used_quota - coalesce(i.used, 0), coalesce(s.credits, 0) - coalesce(i.logged, 0)
        from users u left join (select user_id, sum(quota) as credits from ${withPending(context.db, 'usage_by_user')} s group by user_id) s on s.user_id = u.id
          ${importedUsage('user', 'u')}
        where u.used_quota - coalesce(i.used, 0) <> coalesce(s.credits, 0) - coalesce(i.logged, 0)`,
    ),
  /** Each charge has a row, and each row with a cost has a charge. */
  rows: (context) =>
    differing(
      context,
      'logs',
      sql`select 'call ' || g.request_id as label, g.quota as expected, coalesce(-l.credits, 0) as found
        from ${rowsIn(context)} g left join ledger l on l.reference = 'call:' || g.request_id
        where g.type = ${logType.consume} and g.quota <> coalesce(-l.credits, 0) and g.request_id not like ${importedRows}
        union all
        select l.reference, -l.credits, 0
        from ${entriesIn(context)} l
        where l.kind = 'settle' and l.created_time >= ${context.cleanedBefore}
          and not exists (select 1 from logs g where g.request_id = substr(l.reference, 6))`,
    ),
  /** Paid orders, refunds and disputes agree with their entries, and each such entry with an order. */
  orders: (context) =>
    differing(
      context,
      'orders',
      sql`select 'order ' || o.trade_no as label,
          case when o.status in (${sql.join(paidStatuses)}) then o.quota else 0 end as expected, coalesce(l.credits, 0) as found
        from orders o left join ledger l on l.reference = 'order:' || o.trade_no
        where (case when o.status in (${sql.join(paidStatuses)}) then o.quota else 0 end) <> coalesce(l.credits, 0)
          and not exists (select 1 from import_records i where i.kind = 'order' and i.new_id = o.id)
        union all
        select l.reference, 0, l.credits
        from ledger l
        where l.kind = 'topup' and l.reference like 'order:%'
          and not exists (select 1 from orders o where o.trade_no = substr(l.reference, 7))
        union all
        select 'refund ' || r.refund_no, case when r.status = 'refused' then 0 else -r.taken_quota end,
          coalesce(a.credits, 0) + coalesce(b.credits, 0)
        from refunds r
          left join ledger a on a.reference = 'refund:' || r.refund_no
          left join ledger b on b.reference = 'refund-returned:' || r.refund_no
        where (case when r.status = 'refused' then 0 else -r.taken_quota end)
          <> coalesce(a.credits, 0) + coalesce(b.credits, 0)
        union all
        select 'refunds of order ' || o.trade_no, o.refunded_quota, coalesce(r.quota, 0)
        from orders o left join (
          select order_id, sum(quota) as quota, sum(minor) as minor from refunds where status = 'success' group by order_id
        ) r on r.order_id = o.id
        where o.refunded_quota <> coalesce(r.quota, 0) or o.refunded_minor <> coalesce(r.minor, 0)
        union all
        select 'dispute ' || dispute_no, expected, found from (
          select d.dispute_no, case when d.status = 'won' then 0 else -d.held_quota end as expected,
            coalesce((select sum(l.credits) from ledger l where l.kind = 'dispute' and (
              l.reference = 'dispute:' || d.gateway_id || ':' || d.dispute_no
              or l.reference = 'dispute-released:' || d.gateway_id || ':' || d.dispute_no
              or l.reference like 'dispute-more:' || d.gateway_id || ':' || d.dispute_no || ':%'
            )), 0) as found
          from disputes d
        ) disputed where expected <> found`,
    ),
  /** Each task has its charge; failed ones, and no others, have one refund of the same amount. */
  tasks: (context) =>
    differing(
      context,
      'tasks',
      sql`select 'task ' || t.task_id as label, t.quota as expected, coalesce(-l.credits, 0) as found
        from tasks t left join ledger l on l.reference = 'call:' || t.request_id
        where t.quota <> coalesce(-l.credits, 0)
          and not exists (select 1 from import_records i where i.kind = 'task' and i.new_id = t.id)
        union all
        select 'refund of task ' || t.task_id,
          ${returnedOfTask}, coalesce(l.credits, 0)
        from tasks t left join ledger l on l.reference = 'task:' || t.task_id
        where (${returnedOfTask} <> coalesce(l.credits, 0)
            or (t.refunded and t.quota <> coalesce(l.credits, 0)))
          and not exists (select 1 from import_records i where i.kind = 'task' and i.new_id = t.id)
        union all
        select l.reference, 0, l.credits
        from ledger l
        where l.kind = 'refund' and l.reference like 'task:%'
          and not exists (select 1 from tasks t where t.task_id = substr(l.reference, 6))`,
    ),
  roll_ups: async (context) => {
    const parts = await Promise.all([
      rollUp(context, 'usage_by_user', 'user_id'),
      rollUp(context, 'usage_by_channel', 'channel_id'),
      byToken(context),
      failuresByCause(context),
    ]);
    return joined(parts);
  },
  channels: (context) =>
    differing(
      context,
      'channels',
      sql`select 'channel ' || c.id as label, c.used_quota - coalesce(i.used, 0) as expected,
          coalesce(s.credits, 0) - coalesce(i.logged, 0) as found
        from channels c left join (select channel_id, sum(quota) as credits from usage_by_channel group by channel_id) s on s.channel_id = c.id
          ${importedUsage('channel', 'c')}
        where c.used_quota - coalesce(i.used, 0) <> coalesce(s.credits, 0) - coalesce(i.logged, 0)`,
    ),
  /** A token's used quota can be recomputed only while none of its rows was deleted. Refunded tasks do not count. */
  tokens: (context) =>
    differing(
      context,
      'tokens',
      sql`select 'token ' || t.id as label, t.used_quota - coalesce(i.used, 0) as expected,
          coalesce(b.credits, 0) + coalesce(g.credits, 0) - coalesce(r.credits, 0) as found
        from tokens t
          ${importedUsage('token', 't')}
          ${signedSums('token', context, sql`t.id`)}
          left join (
            select token_id, sum(quota) as credits from ${rowsIn(context)} l
            where type = ${logType.consume} and request_id not like ${importedRows} group by token_id
          ) g on g.token_id = t.id
          left join (select token_id, sum(quota - coalesce(settled_quota, 0)) as credits from tasks
            where refunded or settled_quota is not null group by token_id) r on r.token_id = t.id
        where t.used_quota - coalesce(i.used, 0) <> coalesce(b.credits, 0) + coalesce(g.credits, 0) - coalesce(r.credits, 0)
          and t.created_time >= ${context.cleanedBefore}`,
    ),
};

/** An hour's sums equal those of its rows, for hours with all rows present. */
async function rollUp(
  context: CheckContext,
  table: 'usage_by_user' | 'usage_by_channel',
  owner: 'user_id' | 'channel_id',
): Promise<CheckResult> {
  const { from, until } = comparedHours(context);
  const key = sql.ref(owner);
  // Of a channel, the cost includes attempts of calls that another one answered; `costs` compares these.
  const cost = owner === 'user_id' ? sql`|| ', cost ' || coalesce(sum(cost), 0)` : sql``;
  const digest = sql`sum(request_count) || ' calls, ' || sum(quota) || ' credits, ' || sum(prompt_tokens) || ' + ' || sum(completion_tokens) || ' tokens' ${cost}`;
  // Neither are hours of a channel in which it answered no call.
  const called = owner === 'user_id' ? sql`` : sql`having sum(request_count) > 0`;
  return differing(
    context,
    table,
    sql`select ${owner} || ' ' || owner || ', hour ' || hour || ', ' || model_name as label, max(by_rows) as expected, max(by_sums) as found
      from (
        select ${key} as owner, created_at - created_at % 3600 as hour, model_name,
          count(*) || ' calls, ' || sum(quota) || ' credits, ' || sum(prompt_tokens) || ' + ' || sum(completion_tokens) || ' tokens' ${cost} as by_rows,
          '' as by_sums
        from logs where type = ${logType.consume} and created_at >= ${from} and created_at < ${until} and ${key} <> 0 group by 1, 2, 3
        union all
        select ${key}, hour, model_name, '', ${digest}
        from ${hoursIn(context, table)} where hour >= ${from} and ${key} <> 0 group by 1, 2, 3 ${called}
      ) both_sides
      group by owner, hour, model_name having max(by_rows) <> max(by_sums)`,
  );
}

/** Whole hours of which all rows are there. */
function comparedHours({ cleanedBefore, span: { hours } }: CheckContext): Span['hours'] {
  return { from: Math.max(hours.from, cleanedBefore + 3600 - (cleanedBefore % 3600 || 3600)), until: hours.until };
}

/** The sums of a user's tokens equal the user's, at any age. */
const byToken = (context: CheckContext): Promise<CheckResult> => {
  const sums = sql`sum(request_count) || ' calls, ' || sum(quota) || ' credits, ' || sum(prompt_tokens) || ' + ' || sum(completion_tokens)
    || ' tokens, cost ' || sum(cost) || ' of ' || sum(costed)`;
  return differing(
    context,
    'usage_by_token',
    sql`select 'tokens of user ' || user_id || ', ' || model_name as label, max(by_user) as expected, max(by_token) as found
      from (
        select user_id, model_name, ${sums} as by_user, '' as by_token from ${hoursIn(context, 'usage_by_user')} group by user_id, model_name
        union all
        select user_id, model_name, '', ${sums} from ${hoursIn(context, 'usage_by_token')} group by user_id, model_name
      ) both_sides
      group by user_id, model_name having max(by_user) <> max(by_token)`,
  );
};

/** Failed calls by cause add up to the failed calls of the log, for hours with all rows present. */
const failuresByCause = (context: CheckContext): Promise<CheckResult> => {
  const { from, until } = comparedHours(context);
  const first = sql`(select coalesce(min(hour), 0) from ${withPending(context.db, 'failures')} s)`;
  return differing(
    context,
    'failures',
    sql`select 'failures of user ' || user_id || ', hour ' || hour as label, sum(by_rows) as expected, sum(by_cause) as found
      from (
        select user_id, created_at - created_at % 3600 as hour, count(*) as by_rows, 0 as by_cause
        from logs where type = ${logType.consume} and failed and created_at >= ${from} and created_at < ${until}
          and created_at >= ${first} + 3600 group by 1, 2
        union all
        select user_id, hour, 0, sum(calls) from ${hoursIn(context, 'failures')}
        where hour >= ${from} and hour > ${first} group by 1, 2
      ) both_sides
      group by user_id, hour having sum(by_rows) <> sum(by_cause)`,
  );
};

/** Runs a query that returns differences as `label`, `expected`, `found`. */
export async function differing(
  context: CheckContext,
  table: keyof Tables,
  query: ReturnType<typeof sql>,
): Promise<CheckResult> {
  const compared = await countIn(context, table);
  const { rows } = await sql<{ label: string; expected: unknown; found: unknown; differing: number }>`
    select d.*, count(*) over () as differing from (${query}) d limit ${MOST_DIFFERENCES}`.execute(context.db);
  return {
    compared,
    differing: rows[0]?.differing ?? 0,
    differences: rows.map(({ label, expected, found }) => ({
      of: label,
      expected: String(expected),
      found: String(found),
    })),
  };
}

/** The number of rows of a table, or of the part of it in the span. */
export async function countIn(context: CheckContext, table: keyof Tables): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${comparedIn(context, table)}`.execute(
    context.db,
  );
  return rows[0]?.rows ?? 0;
}

function comparedIn(context: CheckContext, table: keyof Tables): RawBuilder<unknown> {
  const { db, span } = context;
  const range = table === 'ledger' ? span.entries : span.rows;
  if (span === everything) return sql.table(table);
  if (table === 'ledger' || table === 'logs')
    return sql`${byId(db, table)} where id > ${range.after} and id <= ${range.upTo}`;
  const isByHour =
    table === 'usage_by_user' || table === 'usage_by_token' || table === 'usage_by_channel' || table === 'failures';
  return isByHour ? hoursIn(context, table) : sql.table(table);
}

export function joined(parts: readonly CheckResult[]): CheckResult {
  return {
    compared: parts.reduce((sum, { compared }) => sum + compared, 0),
    differing: parts.reduce((sum, part) => sum + part.differing, 0),
    differences: parts.flatMap(({ differences }) => differences).slice(0, MOST_DIFFERENCES),
  };
}
