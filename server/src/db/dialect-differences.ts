import type { AliasedExpression, CreateTableBuilder, Expression, Kysely, RawBuilder, SqlBool } from 'kysely';
import { PostgresAdapter, sql } from 'kysely';
import type { Db, Tables } from './tables.ts';

/** Starts a table with a generated 64-bit id that is never given out twice. */
export function tableWithId(db: Kysely<never>, table: string, id = 'id'): CreateTableBuilder<string, string> {
  // AUTOINCREMENT keeps SQLite from using an id again; an identity column does so by itself.
  return isPostgres(db)
    ? appendedTable(db, table, id)
    : db.schema.createTable(table).addColumn(id, 'integer', (column) => column.primaryKey().autoIncrement());
}

/** The same for a table whose newest rows are never deleted: its ids need no counter beside it. */
export function appendedTable(db: Kysely<never>, table: string, id = 'id'): CreateTableBuilder<string, string> {
  return isPostgres(db)
    ? db.schema
        .createTable(table)
        .addColumn(id, 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
    : db.schema.createTable(table).addColumn(id, 'integer', (column) => column.primaryKey());
}

/** Keeps a table's rows in its primary key, where the database can: one tree to write instead of two. */
export function inPrimaryKey(
  db: Kysely<never>,
  table: CreateTableBuilder<string, string>,
): CreateTableBuilder<string, string> {
  return isPostgres(db) ? table : table.modifyEnd(sql`without rowid`);
}

export function isPostgres(db: Pick<Kysely<never>, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Unix seconds by the clock of the database: the one that all nodes share. */
export function databaseTime(db: Pick<Kysely<never>, 'getExecutor'>): RawBuilder<number> {
  return isPostgres(db) ? sql<number>`floor(extract(epoch from clock_timestamp()))::bigint` : sql<number>`unixepoch()`;
}

/** Holds the rows that a query finds until the transaction ends; SQLite lets only one write at a time anyway. */
export function locked<Q extends { forUpdate(): Q }>(query: Q, trx: Pick<Kysely<never>, 'getExecutor'>): Q {
  return isPostgres(trx) ? query.forUpdate() : query;
}

/** A table that is to be read by that index, and by no other; PostgreSQL knows from its statistics which one is best. */
export function byIndex<T extends keyof Tables>(db: Db, table: T, index: string): AliasedExpression<Tables[T], T> {
  const rows = sql<Tables[T]>`${sql.table(table)}`;
  return isPostgres(db) ? rows.as(table) : rows.as<T>(sql`${sql.ref(table)} indexed by ${sql.ref(index)}`);
}

/** `column` contains `text`, whatever the case; `%` and `_` in it are meant literally. */
export function contains(column: string, text: string): Expression<SqlBool> {
  return isLike(column, `%${escapeLike(text)}%`);
}

/** `column` starts with `text`, whatever the case. */
export function startsWith(column: string, text: string): Expression<SqlBool> {
  return isLike(column, `${escapeLike(text)}%`);
}

/** Both sides are lowered by the database: SQLite knows the case of ASCII only, and would not find what we had lowered. */
function isLike(column: string, pattern: string): Expression<SqlBool> {
  return sql<SqlBool>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
}

/** `column` is a comma-separated list with `entry` in it, spelled just so; SQLite's `like` would ignore the case. */
export function listHas(column: string, entry: string): Expression<SqlBool> {
  const list = sql`',' || ${sql.ref(column)} || ','`;
  return sql<SqlBool>`replace(${list}, ${`,${entry},`}, '') <> ${list}`;
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
