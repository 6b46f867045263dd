import { createHash } from 'node:crypto';
import { logType } from '@relay-hub/contract';
import type { Kysely, Selectable } from 'kysely';
import { sql } from 'kysely';
import { byId, isPostgres, locked } from '#db/dialect-differences.ts';
import type { Storage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { cleanedBefore } from '#features/log/log-blocks.ts';
import { AttemptCounts } from './attempt-counts.ts';
import {
  type CheckContext,
  type CheckResult,
  countIn,
  differing,
  entriesIn,
  everything,
  type IdRange,
  importedRows,
  joined,
  MOST_DIFFERENCES,
  rowsIn,
  type Span,
  sqlChecks,
} from './book-checks.ts';
import { CostCounts } from './cost-counts.ts';
import { DayDigest, type DayFacts, digestEntries, type DigestedRow } from './day-digests.ts';
import { explainedRows } from './explained-rows.ts';
import { LimitCounts } from './limit-counts.ts';
import { Shortfalls } from './shortfalls.ts';

/*
 * A signed day covers the entries and rows up to the last ids before the first one of the next day, so each is covered
 * by one day, also one that is written late. Its hours were compared with all their rows, whatever their ids.
 */

export type SignedDay = Selectable<Tables['signed_days']>;
type Db = Kysely<Tables>;

const DAY_S = 86_400;
/** Age at which a finished day is signed: nearly all late calls are written by then, and no write of it is open. */
const SETTLED_S = 2 * DAY_S;
const ROWS_AT_ONCE = 20_000;
/** Days that another run may sign first. */
const MOST_LOST = 100;

export const lastSigned = (db: Db): Promise<SignedDay | undefined> =>
  db.selectFrom('signed_days').selectAll().orderBy('until', 'desc').limit(1).executeTakeFirst();

/** One text for all signed days: another one means that an earlier day is another. */
export const signatureOf = ({ other_digest, charges_digest, rows_digest }: SignedDay): string =>
  createHash('sha256').update(`${other_digest}${charges_digest}${rows_digest}`).digest('hex');

/** Everything after the signed days. */
export async function spanAfter(db: Db, last: SignedDay | undefined): Promise<Span> {
  if (!last) return everything;
  return {
    entries: { after: last.entries_to, upTo: Number.MAX_SAFE_INTEGER },
    rows: { after: await rowsAfter(db, last), upTo: Number.MAX_SAFE_INTEGER },
    hours: { from: last.until, until: Number.MAX_SAFE_INTEGER },
    isContinued: true,
  };
}

/** SQLite counts rows of the log from the beginning when all of them were deleted. */
async function rowsAfter(db: Db, { until, rows_to: to }: SignedDay): Promise<number> {
  const again = await db
    .selectFrom('logs')
    .where('created_at', '>=', until)
    .where('id', '<=', to)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return again ? 0 : to;
}

/** Forgets all signatures, so that the next run reads everything and signs it again. */
export const forgetSigned = (db: Db): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx.deleteFrom('signed_days').execute();
    await trx.deleteFrom('signed_sums').execute();
  });

export interface SigningOptions {
  /** Unix seconds. */
  now: number;
  /** Called after each step with the time up to which days are signed. */
  progress: (until: number) => void;
  /** Quiet days are signed together up to this number of entries or rows. */
  rowsAtOnce?: number | undefined;
}

/**
 * Signs finished days that balance, oldest first and each in a transaction, so that a run that is killed goes on where it
 * was. Stops at one that does not balance. Returns how many entries and rows were read.
 */
export async function signDays(
  { snapshot, patient }: Pick<Storage, 'snapshot' | 'patient'>,
  { now, progress, rowsAtOnce = ROWS_AT_ONCE }: SigningOptions,
): Promise<{ days: number; entries: number; rows: number }> {
  const read = { days: 0, entries: 0, rows: 0 };
  for (let lost = 0; lost < MOST_LOST;) {
    // Outside of a snapshot, which is not cheap to open.
    if (!(await nextSpan(patient, await lastSigned(patient), { now, rowsAtOnce }))) return read;
    const proof = await snapshot((db) => proveNext(db, { now, rowsAtOnce }));
    if (!proof) return read;
    if (await sign(patient, proof)) {
      read.days++;
      read.entries += proof.day.entries;
      read.rows += proof.rows;
      progress(proof.day.until);
    } else lost++;
  }
  return read;
}

interface Settings {
  now: number;
  rowsAtOnce: number;
}

interface Proof {
  last: SignedDay | undefined;
  day: SignedDay;
  /** Rows of the log, also of other things than calls. */
  rows: number;
  sums: Tables['signed_sums'][];
}

/** Compares the next days. Undefined: there are none, or they do not balance. */
async function proveNext(db: Db, settings: Settings): Promise<Proof | undefined> {
  const last = await lastSigned(db);
  const span = await nextSpan(db, last, settings);
  if (!span) return undefined;
  const context: CheckContext = { db, cleanedBefore: await cleanedBefore(db), span };
  const counts = [await AttemptCounts.of(context), new CostCounts(context)] as const;
  const limits = new LimitCounts(context.cleanedBefore);
  const shortfalls = new Shortfalls();
  const digest = new DayDigest(last);
  const checks = [
    () => sqlChecks.entry_chain(context),
    () => sqlChecks.rows(context),
    () => explainedRows(context, { counts, limits, shortfalls, digest }),
    () => sqlChecks.roll_ups(context),
    () => counts[0].compare(db),
    () => counts[1].compare(db),
  ];
  for (const check of checks) if ((await check()).differing > 0) return undefined;
  await digestEntries(db, span.entries, digest);
  const day: SignedDay = {
    ...digest.facts,
    until: span.hours.until,
    entries_after: span.entries.after,
    entries_to: span.entries.upTo,
    rows_after: span.rows.after,
    rows_to: span.rows.upTo,
    shortfall: shortfalls.total,
    shortfall_calls: shortfalls.calls,
    shortfalls: shortfalls.last.toReversed(),
    signed_time: settings.now,
  };
  const rows = await countIn(context, 'logs');
  return { last, day, rows, sums: [...(await sumsOf(context)), ...(await limits.signed(db))] };
}

/** The next days to sign; undefined: none is old enough. */
async function nextSpan(db: Db, last: SignedDay | undefined, { now, rowsAtOnce }: Settings): Promise<Span | undefined> {
  const settled = dayOf(now - SETTLED_S);
  const after = { ledger: last?.entries_to ?? 0, logs: last ? await rowsAfter(db, last) : 0 };
  const next = (offset: number): Promise<number[]> =>
    Promise.all([timeAt(db, 'ledger', after.ledger, offset), timeAt(db, 'logs', after.logs, offset)]);
  const first = Math.min(...(await next(0)));
  // Not a number for none.
  const earliest = Math.max(last?.until ?? 0, dayOf(first)) + DAY_S;
  if (!(earliest <= settled)) return undefined;
  const until = Math.max(earliest, dayOf(Math.min(settled, ...(await next(rowsAtOnce)))));
  return {
    entries: { after: after.ledger, upTo: await lastBefore(db, 'ledger', after.ledger, until) },
    rows: { after: after.logs, upTo: await lastBefore(db, 'logs', after.logs, until) },
    hours: { from: last?.until ?? 0, until },
    isContinued: last !== undefined,
  };
}

const dayOf = (time: number): number => time - (time % DAY_S);
const timeOf = { ledger: 'created_time', logs: 'created_at' } as const;

/** Time of the entry or row that many after an id; Infinity: there is none. */
async function timeAt(db: Db, table: 'ledger' | 'logs', after: number, offset: number): Promise<number> {
  const { rows } = await sql<{ time: number }>`select ${sql.ref(timeOf[table])} as time from ${byId(db, table)}
    where id > ${after} order by id limit 1 offset ${offset}`.execute(db);
  return rows[0]?.time ?? Infinity;
}

/** The last id after one and before the first entry or row of a time. */
async function lastBefore(db: Db, table: 'ledger' | 'logs', after: number, until: number): Promise<number> {
  // Adding 0 keeps PostgreSQL from the index of times, which it would read to its end.
  const { rows } = await sql<{ id: number }>`select id from ${byId(db, table)}
    where id > ${after} and ${sql.ref(timeOf[table])} + 0 >= ${until} order by id limit 1`.execute(db);
  if (rows[0]) return rows[0].id - 1;
  const { id } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.max<number | null>('id').as('id'))
    .executeTakeFirstOrThrow();
  return Math.max(after, id ?? 0);
}

async function sumsOf(context: CheckContext): Promise<Tables['signed_sums'][]> {
  const { rows } = await sql<Tables['signed_sums']>`
    select 'user' as kind, user_id as id, '' as name, sum(credits) as credits from ${entriesIn(context)} e group by user_id
    union all
    select 'charged', user_id, '', -sum(credits) from ${entriesIn(context)} e where kind = 'settle' group by user_id
    union all
    select 'token', token_id, '', sum(quota) from ${rowsIn(context)} r
    where type = ${logType.consume} and request_id not like ${importedRows} group by token_id`.execute(context.db);
  return rows;
}

/** Writes the signature. False, without changes, if another run has signed or entries were folded meanwhile. */
async function sign(db: Db, { last, day, sums }: Proof): Promise<boolean> {
  const { shortfalls, ...values } = day;
  return db.transaction().execute(async (trx) => {
    // Excludes folding, see `fold-entries.ts`.
    await locked(trx.selectFrom('log_cleanup').where('id', '=', 1).select('id'), trx).execute();
    const { entries } = await trx
      .selectFrom('ledger')
      .where('id', '>', day.entries_after)
      .where('id', '<=', day.entries_to)
      .select(({ fn }) => fn.countAll<number>().as('entries'))
      .executeTakeFirstOrThrow();
    if (entries !== day.entries || (await lastSigned(trx))?.until !== last?.until) return false;
    const written = await trx
      .insertInto('signed_days')
      .values({ ...values, shortfalls: JSON.stringify(shortfalls) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('until')
      .executeTakeFirst();
    if (!written) return false;
    const given = JSON.stringify(sums.map(({ kind, id, name, credits }) => [kind, id, name, credits]));
    const rows = isPostgres(db)
      ? sql`select v->>0, (v->>1)::bigint, v->>2, (v->>3)::bigint from json_array_elements(${given}::json) as v`
      : sql`select value->>0, value->>1, value->>2, value->>3 from json_each(${given}) where true`;
    await sql`insert into signed_sums (kind, id, name, credits) ${rows}
      on conflict (kind, id, name) do update set credits = signed_sums.credits + excluded.credits`.execute(trx);
    await sql`delete from signed_sums where kind = 'limit' and not exists (
      select 1 from limit_counters c where c.scope || ' ' || c.name || ' ' || c.starts = signed_sums.name
    )`.execute(trx);
    return true;
  });
}

/** Reads signed days again and compares them with their signatures. */
export class SignedComparison {
  readonly #context: CheckContext;
  readonly #days: { day: SignedDay; digest: DayDigest; isWhole: boolean }[];
  /** Days whose rows are all there, by the ids of their rows. */
  readonly #whole: { range: IdRange; digest: DayDigest }[];
  #at = 0;

  constructor(context: CheckContext, days: readonly SignedDay[]) {
    this.#context = context;
    this.#days = days.map((day, at) => ({
      day,
      digest: new DayDigest(days[at - 1]),
      isWhole: day.first_time >= context.cleanedBefore,
    }));
    this.#whole = this.#days
      .filter(({ isWhole }) => isWhole)
      .map(({ day, digest }) => ({ range: { after: day.rows_after, upTo: day.rows_to }, digest }));
  }

  static async of(context: CheckContext): Promise<SignedComparison> {
    const days = await context.db.selectFrom('signed_days').selectAll().orderBy('until').execute();
    return new SignedComparison(context, days);
  }

  addRow(row: DigestedRow): void {
    while (row.id > (this.#whole[this.#at]?.range.upTo ?? Infinity)) this.#at++;
    const current = this.#whole[this.#at];
    if (current && row.id > current.range.after) current.digest.addRow(row);
  }

  /** All differences. Call it after all rows were added. */
  async compare(): Promise<CheckResult> {
    const found: CheckResult = { compared: this.#days.length, differing: 0, differences: [] };
    let from = 0;
    for (const { day, digest, isWhole } of this.#days) {
      await digestEntries(this.#context.db, { after: day.entries_after, upTo: day.entries_to }, digest);
      const { facts } = digest;
      for (const name of isWhole ? [...lastingFacts, ...wholeFacts] : lastingFacts) {
        if (facts[name] === day[name]) continue;
        found.differing++;
        if (found.differences.length < MOST_DIFFERENCES)
          found.differences.push({
            of: `signed ${from === 0 ? 'days' : `days from ${dateOf(from)}`} before ${dateOf(day.until)}, ${name.replace('_digest', ' (digest)')}`,
            expected: shortened(day[name]),
            found: shortened(facts[name]),
          });
      }
      from = day.until;
    }
    return joined([found, await this.#compareSums()]);
  }

  async #compareSums(): Promise<CheckResult> {
    const last = this.#days.at(-1)?.day;
    if (!last) return { compared: 0, differing: 0, differences: [] };
    const upTo = last.entries_to;
    const { differing: number, differences } = await differing(
      this.#context,
      'signed_days',
      sql`select 'signed sum of ' || kind || ' ' || id as label, sum(present) as expected, sum(signed) as found
        from (
          select 'user' as kind, user_id as id, sum(credits) as present, 0 as signed from ledger where id <= ${upTo} group by user_id
          union all
          select 'charged', user_id, -sum(credits), 0 from ledger where id <= ${upTo} and kind = 'settle' group by user_id
          union all
          select kind, id, 0, credits from signed_sums where kind in ('user', 'charged')
        ) both_sides
        group by kind, id having sum(present) <> sum(signed)`,
    );
    return { compared: 0, differing: number, differences };
  }
}

/** These hold after rows were deleted and charges folded. */
const lastingFacts = ['calls', 'credits', 'charged', 'other_digest'] as const satisfies (keyof DayFacts)[];
const wholeFacts = ['entries', 'rows', 'charges_digest', 'rows_digest'] as const satisfies (keyof DayFacts)[];

const dateOf = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10);
const shortened = (value: string | number): string => String(value).slice(0, 16);
