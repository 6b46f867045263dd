import type { AliasedExpression, CreateTableBuilder, Expression, Kysely, RawBuilder, SqlBool } from 'kysely';
import { PostgresAdapter, sql } from 'kysely';
import type { Db, Tables } from './tables.ts';

/** Starts a table with a generated 64-bit id that is never reused. */
export function tableWithId(db: Kysely<never>, table: string, id = 'id'): CreateTableBuilder<string, string> {
  // AUTOINCREMENT keeps SQLite from reusing ids; an identity column never does.
  return isPostgres(db)
    ? appendedTable(db, table, id)
    : db.schema.createTable(table).addColumn(id, 'integer', (column) => column.primaryKey().autoIncrement());
}

/** Like `tableWithId`, for tables whose newest rows are never deleted: ids need no separate counter. */
export function appendedTable(db: Kysely<never>, table: string, id = 'id'): CreateTableBuilder<string, string> {
  return isPostgres(db)
    ? db.schema
        .createTable(table)
        .addColumn(id, 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
    : db.schema.createTable(table).addColumn(id, 'integer', (column) => column.primaryKey());
}

/** Stores rows in the primary key (SQLite `without rowid`): one tree to write instead of two. */
export function inPrimaryKey(
  db: Kysely<never>,
  table: CreateTableBuilder<string, string>,
): CreateTableBuilder<string, string> {
  return isPostgres(db) ? table : table.modifyEnd(sql`without rowid`);
}

export function isPostgres(db: Pick<Kysely<never>, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Unix seconds by the clock of the database, which all nodes share. */
export function databaseTime(db: Pick<Kysely<never>, 'getExecutor'>): RawBuilder<number> {
  return isPostgres(db) ? sql<number>`floor(extract(epoch from clock_timestamp()))::bigint` : sql<number>`unixepoch()`;
}

/** Locks the rows of a query until the transaction ends; on SQLite only one transaction writes anyway. */
export function locked<Q extends { forUpdate(): Q }>(query: Q, trx: Pick<Kysely<never>, 'getExecutor'>): Q {
  return isPostgres(trx) ? query.forUpdate() : query;
}

/** Locks the rows of a query that no other transaction has locked, and leaves the others out. */
export function lockedIfFree<Q extends { forUpdate(): Q; skipLocked(): Q }>(
  query: Q,
  trx: Pick<Kysely<never>, 'getExecutor'>,
): Q {
  return isPostgres(trx) ? query.forUpdate().skipLocked() : query;
}

/** Forces an index on SQLite; PostgreSQL chooses by its statistics. */
export function byIndex<T extends keyof Tables>(db: Db, table: T, index: string): AliasedExpression<Tables[T], T> {
  const rows = sql<Tables[T]>`${sql.table(table)}`;
  return isPostgres(db) ? rows.as(table) : rows.as<T>(sql`${sql.ref(table)} indexed by ${sql.ref(index)}`);
}

/** Keeps SQLite from an index where a range of ids is read; PostgreSQL chooses by its statistics. */
export const byId = (db: Pick<Kysely<never>, 'getExecutor'>, table: 'ledger' | 'logs'): RawBuilder<unknown> =>
  isPostgres(db) ? sql`${sql.table(table)}` : sql`${sql.table(table)} not indexed`;

/** `column` contains `text`, ignoring case; `%` and `_` match literally. */
export function contains(column: string, text: string): Expression<SqlBool> {
  return isLike(column, `%${escapeLike(text)}%`);
}

/** `column` starts with `text`, ignoring case. */
export function startsWith(column: string, text: string): Expression<SqlBool> {
  return isLike(column, `${escapeLike(text)}%`);
}

/** The database lowers both sides: SQLite lowers ASCII only, so a text lowered by JavaScript could miss. */
function isLike(column: string, pattern: string): Expression<SqlBool> {
  return sql<SqlBool>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
}

/** `column` is a comma-separated list that contains `entry`, case-sensitive; SQLite's `like` would ignore case. */
export function listHas(column: string, entry: string): Expression<SqlBool> {
  const list = sql`',' || ${sql.ref(column)} || ','`;
  return sql<SqlBool>`replace(${list}, ${`,${entry},`}, '') <> ${list}`;
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
