import type { Kysely } from 'kysely';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import { select } from './copy-table.ts';
import { quoted } from './table-shapes.ts';

/** An index or a foreign key, which a table does without while it is filled. */
interface Definition {
  kind: 'index' | 'constraint';
  name: string;
  drop: string;
  make: string;
}

const indexesOfSqlite = `
  select 'index' as kind, name, 'drop index "' || name || '"' as "drop", sql as make
  from sqlite_master where type = 'index' and sql is not null and tbl_name not like 'move_%'`;

const definitionsOfPostgres = `
  select 'index' as kind, c.relname as name, format('drop index %I', c.relname) as "drop",
    replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') as make
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = current_schema()::regnamespace and not i.indisprimary and not c.relispartition
    and not exists (select from pg_constraint k where k.conindid = c.oid)
  union all
  select 'constraint', conname, format('alter table %s drop constraint %I', conrelid::regclass, conname),
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`;

/** Makes the tables of a move, and takes away what would slow it down. Keeps how to make it again. */
export async function beginFilling(trx: Kysely<Tables>): Promise<void> {
  await select(
    trx,
    'create table move_pages (name text not null, page bigint not null, last text not null, rows bigint not null, hash text not null, move text not null, primary key (name, page))',
  );
  await select(trx, 'create table move_definitions (kind text not null, name text primary key, make text not null)');
  for (const { kind, name, drop, make } of await select<Definition>(
    trx,
    isPostgres(trx) ? definitionsOfPostgres : indexesOfSqlite,
  )) {
    await select(trx, 'insert into move_definitions (kind, name, make) values ($1, $2, $3)', [kind, name, make]);
    await select(trx, drop);
  }
}

/** Makes indexes or foreign keys again, one by one. */
export async function makeAgain(db: Kysely<Tables>, kind: Definition['kind']): Promise<void> {
  const left = await select<Definition>(db, 'select name, make from move_definitions where kind = $1 order by name', [
    kind,
  ]);
  for (const { name, make } of left)
    await db.transaction().execute(async (trx) => {
      await select(trx, make);
      await select(trx, 'delete from move_definitions where name = $1', [name]);
    });
}

/** Sets the counters of ids so that no id of the old database is given again. */
export async function continueIds(from: Kysely<Tables>, to: Kysely<Tables>): Promise<void> {
  const given = await lastIds(from);
  for (const [table, { column, last }] of await lastIds(to)) {
    const next = Math.max(last, given.get(table)?.last ?? 0);
    if (isPostgres(to)) {
      const sequence = `pg_get_serial_sequence('${quoted(table)}', '${column}')`;
      await select(to, `select setval(${sequence}, greatest($1::bigint, 1), $1::bigint > 0)`, [next]);
    } else {
      await select(to, 'delete from sqlite_sequence where name = $1', [table]);
      await select(to, 'insert into sqlite_sequence (name, seq) values ($1, $2)', [table, next]);
    }
  }
}

/** The last ids that were given, by table. Without a counter the next id follows the largest one. */
async function lastIds(db: Kysely<Tables>): Promise<Map<string, { column: string; last: number }>> {
  const found = new Map<string, { column: string; last: number }>();
  const tables = isPostgres(db)
    ? await select<{ name: string; column: string }>(
        db,
        `select c.relname as name, a.attname as "column" from pg_class c join pg_attribute a on a.attrelid = c.oid
         where c.relnamespace = current_schema()::regnamespace and not c.relispartition and a.attidentity <> ''`,
      )
    : await select<{ name: string; column: string; seq: number | null }>(
        db,
        `select m.name, p.name as "column" from sqlite_master m, pragma_table_info(m.name) p
         where m.type = 'table' and p.pk = 1 and lower(m.sql) like '%autoincrement%'`,
      );
  for (const { name, column } of tables) {
    const counter = isPostgres(db)
      ? `(select case when is_called then last_value else last_value - 1 end from ${(await sequenceOf(db, name, column)) ?? ''})`
      : `(select seq from sqlite_sequence where name = '${name}')`;
    const [row] = await select<{ largest: number | null; counter: number | null }>(
      db,
      `select (select max(${quoted(column)}) from ${quoted(name)}) as largest, ${counter} as counter`,
    );
    found.set(name, { column, last: Math.max(row?.largest ?? 0, row?.counter ?? 0) });
  }
  return found;
}

async function sequenceOf(db: Kysely<Tables>, table: string, column: string): Promise<string | undefined> {
  const [row] = await select<{ name: string }>(db, 'select pg_get_serial_sequence($1, $2) as name', [
    quoted(table),
    column,
  ]);
  return row?.name;
}
