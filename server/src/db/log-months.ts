import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '#caught-error.ts';
import { type Kysely, sql, type Transaction } from 'kysely';
import { isPostgres } from './dialect-differences.ts';
import type { Tables } from './tables.ts';

/*
 * The log on PostgreSQL, in partitions by month (UTC). `logs_old` has the rows before the first month: those of before the
 * split, rows that are written late, and rows that are no calls of months that were dropped. `logs_default` takes what no
 * month takes. Each has its own primary key, because one of the whole table would have to contain the time; ids come from
 * one sequence. Calls are written once because of the ledger's references and the journals, not because of the log.
 */

const OLD = 'logs_old';
const REST = 'logs_default';
/** Keeps rows out of a table that is about to become `logs_old`, so that nothing has to be read under a lock. */
const BOUND = 'logs_bound';
/** Months that are made ahead, after the current one. */
const AHEAD = 2;
/** More than this at once is a clock that is wrong. */
const MOST_AT_ONCE = 36;
/** `logs_old` is replaced when it has more bytes; otherwise its calls are deleted one by one. */
const WORTH_BYTES = 64 * 1024 * 1024;
/** Others of the log wait behind one who waits for its lock. */
const LOCK_MS = 100;
const TRIES = 15;
const REST_MS = 100;
/** Least time in which a split has to be done, in seconds. */
const SPLIT_S = 14 * 86_400;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

type Db = Kysely<Tables>;
/** A migration knows no tables. */
type Run = Pick<Kysely<never>, 'getExecutor'>;

interface Partition {
  name: string;
  /** Unix seconds; -Infinity for the first. */
  from: number;
  /** Exclusive. */
  to: number;
  bytes: number;
}

/** Start of the month of a time, or of one that many months later. Unix seconds, UTC. */
export function monthOf(time: number, later = 0): number {
  const date = new Date(time * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later) / 1000;
}

/** Whether the log is in months. Never on SQLite. */
export async function hasMonths(db: Run): Promise<boolean> {
  if (!isPostgres(db)) return false;
  const { rows } = await sql<{
    kind: string;
  }>`select relkind as kind from pg_class where oid = 'logs'::regclass`.execute(db);
  return rows[0]?.kind === 'p';
}

/**
 * Makes the months of this time and of the next two, with the rows that came before them. A log from before is split
 * first, while calls are written. Throws while rows are in no month, which is a wrong clock, and when the log is in use
 * for too long. Does nothing on SQLite. `isOver` ends it early.
 */
export async function keepMonths(db: Db, now: number, isOver: () => boolean = () => false): Promise<void> {
  if (!isPostgres(db)) return;
  if (!(await hasMonths(db))) await splitLog(db, now, isOver);
  if (isOver()) return;
  await dropDetached(db);
  const months = await partitionsOf(db);
  const until = monthOf(now, AHEAD + 1);
  if (monthOf(months.at(-1)?.to ?? now, MOST_AT_ONCE) < until)
    throw new Error('the clock is years after the last month of the log');
  // Also one in between, if it was dropped by hand.
  for (let from = months[0]?.to ?? monthOf(now); from < until; from = monthOf(from, 1))
    if (!hasTime(months, from)) await addMonth(db, from);
  const { rows } = await sql<{ at: number }>`select created_at as at from ${sql.table(REST)} limit 1`.execute(db);
  if (rows[0]) throw new Error(`a row of the log has the time ${rows[0].at}, which is in no month`);
}

/**
 * Turns the log into months; what it has becomes `logs_old`, without being copied. Rows are written meanwhile: only the
 * last step excludes them, for milliseconds. A step that was done before is not repeated.
 */
async function splitLog(db: Db, now: number, isOver: () => boolean): Promise<void> {
  const end = await endOfOld(db, now + SPLIT_S);
  const bound = sql.ref(BOUND);
  const { rows } = await sql<{ check: string }>`select pg_get_constraintdef(oid) as check from pg_constraint
    where conrelid = 'logs'::regclass and conname = ${BOUND}`.execute(db);
  if (!rows[0]?.check.includes(String(end)))
    await exclusively(db, async (trx) => {
      await sql`alter table logs drop constraint if exists ${bound}`.execute(trx);
      await sql`alter table logs add constraint ${bound} check (created_at < ${sql.lit(end)}) not valid`.execute(trx);
    });
  try {
    await validate(db, isOver);
    await exclusively(db, (trx) => splitInto(trx, end), isOver);
  } catch (error) {
    // Left alone, it would refuse calls in some weeks.
    await exclusively(db, (trx) => sql`alter table logs drop constraint if exists ${bound}`.execute(trx), isOver);
    if (!isOver()) throw error;
  }
}

/** Reads the whole log, while rows are written. */
const validate = (db: Db, isOver: () => boolean): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    const timer = setInterval(() => {
      // A query that cannot be cancelled ends by itself.
      if (isOver()) sql`select pg_cancel_backend(${rows[0]?.pid})`.execute(db).catch(() => {});
    }, 10 * REST_MS);
    try {
      await sql`alter table logs validate constraint ${sql.ref(BOUND)}`.execute(trx);
    } finally {
      clearInterval(timer);
    }
  });

/** Where `logs_old` ends: after the month of a time and after all rows. The time has to be later than the split. */
export async function endOfOld(db: Run, time: number): Promise<number> {
  const { rows } = await sql<{ last: number | string | null }>`select max(created_at) as last from logs`.execute(db);
  return monthOf(Math.max(time, Number(rows[0]?.last ?? 0)), 1);
}

/** The last step of a split, in a transaction. It reads the rows, unless a constraint says that all are before `end`. */
export async function splitInto(trx: Run, end: number): Promise<void> {
  await sql`lock table logs in access exclusive mode`.execute(trx);
  if (await hasMonths(trx)) return;
  const { rows: indexes } = await sql<{ name: string; primary: boolean; make: string }>`
    select c.relname as name, i.indisprimary as primary, pg_get_indexdef(c.oid) as make
    from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'logs'::regclass`.execute(trx);
  const { rows: grants } = await sql<{ grantee: string; privileges: string }>`
    select case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as grantee,
      string_agg(a.privilege_type, ', ') as privileges
    from pg_class c, aclexplode(c.relacl) a
    where c.oid = 'logs'::regclass and a.grantee <> c.relowner group by 1`.execute(trx);
  const { rows: ids } = await sql<{ name: string }>`select pg_get_serial_sequence('logs', 'id') as name`.execute(trx);
  const sequence = sql.raw(ids[0]?.name ?? '');
  const { rows: counter } = await sql<{ next: string }>`
    select case when is_called then last_value + 1 else last_value end as next from ${sequence}`.execute(trx);
  const old = sql.table(OLD);
  await sql`alter table logs rename to ${old}`.execute(trx);
  await sql`alter table ${old} alter id drop identity`.execute(trx);
  for (const { name } of indexes)
    await sql`alter index ${sql.ref(name)} rename to ${sql.ref(`${OLD}_${name.replace(/^logs_/, '')}`)}`.execute(trx);
  await sql`create table logs (like ${old} including defaults including storage including comments)
    partition by range (created_at)`.execute(trx);
  await sql`alter table logs alter id add generated by default as identity
    (sequence name logs_id_seq start with ${sql.lit(Number(counter[0]?.next))})`.execute(trx);
  for (const { primary, make } of indexes) if (!primary) await sql.raw(make).execute(trx);
  for (const { grantee, privileges } of grants)
    await sql`grant ${sql.raw(privileges)} on logs to ${sql.raw(grantee)}`.execute(trx);
  await attach(trx, OLD, { from: -Infinity, to: end });
  await sql`alter table ${old} drop constraint if exists ${sql.ref(BOUND)}`.execute(trx);
  await newPartition(trx, REST);
  await sql`alter table logs attach partition ${sql.table(REST)} default`.execute(trx);
}

/** An empty table with the columns, indexes and key of a partition. */
async function newPartition(trx: Run, name: string): Promise<void> {
  const table = sql.table(name);
  await sql`create table ${table} (like logs including all excluding identity)`.execute(trx);
  await sql`alter table ${table} add primary key (id)`.execute(trx);
}

async function attach(trx: Run, name: string, { from, to }: { from: number; to: number }): Promise<void> {
  const start = from === -Infinity ? sql`minvalue` : sql.lit(from);
  await sql`alter table logs attach partition ${sql.table(name)} for values from (${start}) to (${sql.lit(to)})`.execute(
    trx,
  );
}

/** Makes a month, unless another node has. Its rows that came before it move into it. */
const addMonth = (db: Db, from: number): Promise<void> =>
  exclusively(db, async (trx) => {
    await sql`lock table logs in share update exclusive mode`.execute(trx);
    if (hasTime(await partitionsOf(trx), from)) return;
    const name = `logs_${new Date(from * 1000).toISOString().slice(0, 7).replace('-', '_')}`;
    const to = monthOf(from, 1);
    await newPartition(trx, name);
    await sql`lock table ${sql.table(REST)} in access exclusive mode`.execute(trx);
    await sql`with moved as (
        delete from ${sql.table(REST)} where created_at >= ${from} and created_at < ${to} returning *
      ) insert into ${sql.table(name)} select * from moved`.execute(trx);
    await attach(trx, name, { from, to });
  });

/** All but the default one, in order of time; none before a split. */
async function partitionsOf(db: Run): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; bound: string; bytes: string }>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound, pg_relation_size(c.oid) as bytes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'logs'::regclass`.execute(db);
  return rows
    .flatMap(({ name, bound, bytes }) => {
      const [, from, to] = /^FOR VALUES FROM \('?(MINVALUE|-?\d+)'?\) TO \('?(-?\d+)'?\)$/.exec(bound) ?? [];
      if (from === undefined) return [];
      return [{ name, from: from === 'MINVALUE' ? -Infinity : Number(from), to: Number(to), bytes: Number(bytes) }];
    })
    .toSorted((a, b) => a.to - b.to);
}

const hasTime = (months: readonly Partition[], time: number): boolean =>
  months.some(({ from, to }) => from <= time && time < to);

/** Months that can be dropped as one. */
export interface OldMonths {
  names: string[];
  /** End of the last one. */
  until: number;
  /** Their calls. */
  calls: number;
}

/** The months that are over before a time. Undefined: there are none, or `logs_old` is not worth a drop. */
export async function monthsBefore(db: Db, time: number): Promise<OldMonths | undefined> {
  if (!(await hasMonths(db))) return undefined;
  const over = (await partitionsOf(db)).filter(({ to }) => to <= time);
  const until = over.at(-1)?.to;
  if (until === undefined || (over.length === 1 && over[0]?.name === OLD && over[0].bytes < WORTH_BYTES))
    return undefined;
  const { count } = await db
    .selectFrom('logs')
    .where('created_at', '<', until)
    .where('type', '=', CONSUME)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return { names: over.map(({ name }) => name), until, calls: count };
}

const CONSUME = 2; // log type of the wire format

/**
 * Drops months. Their rows that are no calls stay, in `logs_old`. `note` is called in the transaction, when nothing more
 * is written into them; if it returns false, nothing happens. Returns what it returned.
 */
export async function dropMonths(
  db: Db,
  { names, until }: OldMonths,
  note: (trx: Transaction<Tables>) => Promise<boolean>,
): Promise<boolean> {
  const isNoted = await exclusively(db, async (trx) => {
    await sql`lock table logs in share update exclusive mode`.execute(trx);
    const present = (await partitionsOf(trx)).filter(({ to }) => to <= until).map(({ name }) => name);
    if (present.join() !== names.join()) return false;
    // Calls that are written late wait, and go into the remaining table.
    await sql`lock table ${sql.join(names.map((name) => sql.table(name)))} in share mode`.execute(trx);
    if (!(await note(trx))) return false;
    const kept = 'logs_kept';
    await newPartition(trx, kept);
    await sql`insert into ${sql.table(kept)} select * from logs
      where created_at < ${until} and type <> ${sql.lit(CONSUME)}`.execute(trx);
    for (const name of names) {
      await sql`alter table logs detach partition ${sql.table(name)}`.execute(trx);
      await sql`alter table ${sql.table(name)} rename to ${sql.ref(name.replace(/^logs/, GONE))}`.execute(trx);
    }
    await sql`alter table ${sql.table(kept)} rename to ${sql.ref(OLD)}`.execute(trx);
    await attach(trx, OLD, { from: -Infinity, to: until });
    return true;
  });
  if (isNoted) await dropDetached(db);
  return isNoted;
}

const GONE = 'gone_logs';

/** Deleting the files of a month takes a while, and needs no lock of the log. */
async function dropDetached(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname ~ ${`^${GONE}_`}`.execute(db);
  for (const { name } of rows) await sql`drop table if exists ${sql.table(name)}`.execute(db);
}

/**
 * Runs a transaction that needs a lock of the log. It waits shortly and tries again, so that calls do not wait for long.
 * Throws when the log was in use each time.
 */
async function exclusively<T>(
  db: Db,
  work: (trx: Transaction<Tables>) => Promise<T>,
  isOver: () => boolean = () => false,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(async (trx) => {
        await sql`set local lock_timeout = ${sql.lit(`${LOCK_MS}ms`)}`.execute(trx);
        return work(trx);
      });
    } catch (error) {
      const code = codeOf(error);
      if ((code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) || tries === TRIES || isOver()) throw error;
      await pause(tries * REST_MS);
    }
  }
}
