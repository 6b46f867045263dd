import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { databaseTime, isPostgres } from '#db/dialect-differences.ts';
import type { Storage } from '#db/open.ts';
import { RowStatements } from '#db/row-statements.ts';
import type { Tables } from '#db/tables.ts';
import type { RowLock, RunStatement, TransactionScript } from '#db/transaction-script.ts';
import { type ChannelChange, ChannelSums, type SummedTable, summedTables, summedType } from './batch-sums.ts';

/*
 * On PostgreSQL a batch leaves its sums in one row. Any node adds such rows up and deletes them in the same transaction,
 * so each is counted once. There is no position that could skip a late commit.
 */

/** Calls per transaction, so that none takes long. */
const MOST_CALLS = 10_000;
const MOST_ROWS = 512;

/** Rows up to an id; a transaction takes the first of them. */
interface PendingRange {
  upTo: number;
}

/** Adds the first pending rows to the roll-ups and the channels. Returns whether there may be more. */
async function addPending(query: RunStatement, { upTo }: PendingRange, lock: RowLock): Promise<boolean> {
  const isSqlite = lock === '';
  const channelsOf = isSqlite ? "json_extract(sums, '$.channels')" : "sums->'channels'";
  const found = await query<{ id: number; calls: number; channels: ChannelChange[] | string | null }>(
    `select id, calls, ${channelsOf} as channels from pending_sums where id <= $1 order by id limit ${MOST_ROWS}${lock}`,
    [upTo],
  );
  let calls = 0;
  const taken = found.filter(({ calls: more }) => (calls += more) <= MOST_CALLS || calls === more);
  if (taken.length === 0) return false;
  const ids = taken.map(({ id }) => id);
  const given = isSqlite ? JSON.stringify(ids) : `{${ids.join(',')}}`;
  const isTaken = isSqlite ? 'in (select value from json_each($1))' : '= any($1::bigint[])';
  for (const summed of summedTables) {
    const { table, key, sums, conflict } = summed;
    const values = [...key, ...sums.map((name) => `sum(${name})`)].join(', ');
    void query(
      `insert into ${table} (${[...key, ...sums].join(', ')}) select ${values}
        from (${pendingRows(summed, isSqlite)}) as pending where pending_id ${isTaken}
        group by ${key.join(', ')} order by ${key.join(', ')} ${conflict}`,
      [given],
    );
  }
  const channels = new ChannelSums();
  for (const { channels: changes } of taken)
    for (const change of typeof changes === 'string' ? (JSON.parse(changes) as ChannelChange[]) : (changes ?? []))
      channels.add(change);
  channels.write(new RowStatements(query, lock));
  void query(`delete from pending_sums where id ${isTaken}`, [given]);
  return taken.length < found.length || found.length === MOST_ROWS;
}

export const script: TransactionScript<PendingRange, boolean> = { module: import.meta.url, run: addPending };

/** The rows of a table in `pending_sums`, with the columns of the table and `pending_id`. */
function pendingRows({ table, key, sums }: SummedTable, isSqlite: boolean): string {
  const columns = [...key, ...sums].map((name, at) => {
    const value = isSqlite ? `json_extract(row.value, '$[${at}]')` : `(row.value->>${at})::${summedType(name)}`;
    // A row that an earlier version left has fewer sums.
    return `${sums.includes(name) ? `coalesce(${value}, 0)` : value} as ${name}`;
  });
  const rows = isSqlite ? `json_each(sums, '$.${table}')` : `json_array_elements(sums->'${table}')`;
  return `select pending_sums.id as pending_id, ${columns.join(', ')} from pending_sums, ${rows} as row${isSqlite ? '' : '(value)'}`;
}

/** A roll-up with its pending rows, to be read in place of the table; a key may have several rows. */
export function withPending<Table extends keyof Tables>(db: Kysely<Tables>, table: Table): RawBuilder<Tables[Table]> {
  const summed = summedTables.find(({ table: name }) => name === table);
  if (!isPostgres(db) || !summed) return sql<Tables[Table]>`${sql.table(table)}`;
  const columns = sql.raw([...summed.key, ...summed.sums].join(', '));
  return sql<Tables[Table]>`(select ${columns} from ${sql.table(table)}
    union all select ${columns} from (${sql.raw(pendingRows(summed, false))}) as pending)`;
}

/** Age and number of calls at which pending sums are added up without a reader. */
const OLD_S = 30;

/** Adds up what batches have left. All nodes look; it does not matter which of them is first. */
export class PendingSums {
  readonly #db: Kysely<Tables>;
  readonly #run: (range: PendingRange) => Promise<boolean>;
  readonly #log: Pick<Logger, 'warn'>;
  #running: Promise<void> = Promise.resolve();
  /** The round after the running one. */
  #next: Promise<void> | undefined;

  constructor({ db, prepare }: Pick<Storage, 'db' | 'prepare'>, log: Pick<Logger, 'warn'>) {
    this.#db = db;
    this.#run = prepare(script);
    this.#log = log;
  }

  /** Resolves when the sums contain all batches that were committed before, or could not be written. */
  caughtUp(): Promise<void> {
    // SQLite writes sums in the batch.
    if (!isPostgres(this.#db)) return Promise.resolve();
    // A round that is running may have begun before the last batch.
    return (this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return (this.#running = this.#addAll().catch((error: unknown) =>
        this.#log.warn({ err: error }, 'sums of calls are late'),
      ));
    }));
  }

  /** Adds up what is old or much; for jobs. */
  async addOld(): Promise<void> {
    const { calls, since, time } = await this.#db
      .selectFrom('pending_sums')
      .select(({ fn }) => [
        fn.sum<number | null>('calls').as('calls'),
        fn.min<number | null>('created_time').as('since'),
      ])
      .select(databaseTime(this.#db).as('time'))
      .executeTakeFirstOrThrow();
    if (since !== null && (time - since >= OLD_S || (calls ?? 0) >= MOST_CALLS)) await this.#addAll();
  }

  async #addAll(): Promise<void> {
    const { last } = await this.#db
      .selectFrom('pending_sums')
      .select(({ fn }) => fn.max<number | null>('id').as('last'))
      .executeTakeFirstOrThrow();
    if (last !== null) while (await this.#run({ upTo: last }));
  }
}
