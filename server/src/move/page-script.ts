import { type GivenColumns, type GivenRows, insertRows, RowStatements } from '#db/row-statements.ts';
import type { RowLock, RunStatement, TransactionScript } from '#db/transaction-script.ts';
import { quoted } from './table-shapes.ts';

/** Rows of one page for the new database, and what is known of it afterwards. */
export interface PageWrite {
  table: string;
  columns: GivenColumns;
  /** Deletes earlier rows of the page. */
  removal: { text: string; values: readonly (string | number)[] } | undefined;
  rows: GivenRows;
  page: PageRecord | undefined;
}

/** A page of a table: the rows with keys above the last one of the page before, up to its own last one. */
export interface PageRecord {
  page: number;
  /** JSON of its last key. */
  last: string;
  rows: number;
  /** Hash of its rows in the old database; empty: they have to be copied. */
  hash: string;
  /** The move during which nothing could change any more; empty: calls went on. */
  move: string;
}

const insertPage = insertRows(
  'move_pages',
  { name: 'text', page: 'bigint', last: 'text', rows: 'bigint', hash: 'text', move: 'text' },
  'on conflict (name, page) do update set rows = excluded.rows, hash = excluded.hash, move = excluded.move',
);

/** Writes a page and its record in one transaction. */
async function writePage(query: RunStatement, { table, columns, removal, rows, page }: PageWrite, lock: RowLock) {
  const statements = new RowStatements(query, lock);
  if (removal) void query(removal.text, removal.values);
  statements.write(insertRows(quoted(table), columns), rows);
  if (page) statements.write(insertPage, [[table, page.page, page.last, page.rows, page.hash, page.move]]);
}

export const script: TransactionScript<PageWrite, void> = { module: import.meta.url, run: writePage };
