import type { Kysely } from 'kysely';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import { select } from './copy-table.ts';
import { quoted, type TableShape, whereOf } from './table-shapes.ts';

/** Rows, and by column the sum of its numbers or of the lengths of its texts. Texts, because sums may be large. */
export type TableSums = Record<string, string>;

/** Summarises a table so that both databases give equal texts for equal rows. */
export async function sumsOf(db: Kysely<Tables>, shape: TableShape): Promise<TableSums> {
  const onPostgres = isPostgres(db);
  const sums = Object.entries(shape.columns).flatMap(([column, kind]) => {
    const value = `t.${column}`;
    const summed = {
      bigint: value,
      integer: value,
      boolean: onPostgres ? `${value}::int` : value,
      // Exact in both, whatever the order of the sum.
      'double precision': onPostgres ? `trunc(${value} * 1048576)::bigint` : `cast(${value} * 1048576 as integer)`,
      text: `length(${value})`,
      json: `length(cast(${value} as text))`,
    }[kind];
    const name = column.slice(1, -1);
    return [
      `cast(coalesce(sum(${summed}), 0) as text) as ${quoted(name)}`,
      `cast(count(${value}) as text) as ${quoted(`${name} not null`)}`,
    ];
  });
  const { text } = whereOf(shape, {}, onPostgres);
  const [found] = await select<TableSums>(
    db,
    `select cast(count(*) as text) as ${quoted('rows')}, ${sums.join(', ')} from ${quoted(shape.name)} as t${text}`,
  );
  return found ?? {};
}
