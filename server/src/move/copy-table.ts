import { createHash } from 'node:crypto';
import { CompiledQuery, type Kysely } from 'kysely';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Storage } from '#db/open.ts';
import type { GivenRows } from '#db/row-statements.ts';
import type { Tables } from '#db/tables.ts';
import { uniqueClash } from '#db/unique-clash.ts';
import { asError } from '#caught-error.ts';
import { MoveError } from './move-error.ts';
import { type PageRecord, script } from './page-script.ts';
import { type Key, orderOf, type KeyRange, quoted, type TableShape, whereOf } from './table-shapes.ts';

/** Bytes and rows of a page, about. */
const PAGE_BYTES = 2 * 1024 * 1024;
const FIRST_ROWS = 50;

/** Input of a copy. */
export interface CopyWork {
  from: Storage;
  to: Storage;
  /** Id of the move once nothing can change in the old database; empty: calls go on. */
  move: string;
  /** Most rows of a page. */
  pageRows: number;
  /** Called after each page. May throw to break the copy off. */
  onPage(table: string, rows: number): void;
}

/** A table that is copied page by page. Pages that are known are not read again while the move is the same. */
export class TableCopy {
  readonly #shape: TableShape;
  readonly #work: CopyWork;
  readonly #write: ReturnType<typeof preparedOn>;
  #pages: PageRecord[] = [];
  /** Rows read or written by this run. */
  rows = 0;

  private constructor(shape: TableShape, work: CopyWork) {
    this.#shape = shape;
    this.#work = work;
    this.#write = preparedOn(work.to);
  }

  static async open(shape: TableShape, work: CopyWork): Promise<TableCopy> {
    const copy = new TableCopy(shape, work);
    copy.#pages = await select<PageRecord>(
      work.to.patient,
      'select page, last, rows, hash, move from move_pages where name = $1 order by page',
      [shape.name],
    );
    return copy;
  }

  /** Copies missing and changed rows. */
  async run(): Promise<void> {
    if (this.#work.move !== '') await this.#renew();
    await this.#append();
  }

  /** Deletes pages that have changed, and then copies them, so that a row never meets its former neighbours. */
  async #renew(): Promise<void> {
    const { move } = this.#work;
    for (const [at, page] of this.#pages.entries()) {
      if (page.move === move || page.hash === '') continue;
      const rows = await this.#read(this.#partOf(at));
      this.#told(rows.length);
      if (hashOf(rows) === page.hash) continue;
      await this.#put(this.#partOf(at), [], (this.#pages[at] = { ...page, rows: 0, hash: '', move: '' }));
    }
    for (const [at, page] of this.#pages.entries()) {
      if (page.hash !== '') continue;
      const rows = await this.#read(this.#partOf(at));
      this.#told(rows.length);
      await this.#put(this.#partOf(at), rows, { ...page, rows: rows.length, hash: hashOf(rows), move });
    }
    const { to } = this.#work;
    await select(to.patient, 'update move_pages set move = $1 where name = $2', [move, this.#shape.name]);
  }

  /** Copies the rows behind the last page. */
  async #append(): Promise<void> {
    const { move, pageRows } = this.#work;
    let limit = Math.min(FIRST_ROWS, pageRows);
    for (;;) {
      const after = this.#partOf(this.#pages.length).after;
      const rows = await this.#read({ after }, limit);
      const last = rows.at(-1);
      // Migrations may have filled the table.
      const removed = this.#pages.length === 0 ? {} : undefined;
      if (last === undefined) {
        if (removed) await this.#put(removed, [], undefined);
        return;
      }
      const page = {
        page: this.#pages.length,
        last: JSON.stringify(this.#keyOf(last)),
        rows: rows.length,
        hash: hashOf(rows),
        move,
      };
      try {
        await this.#put(removed, rows, page);
        this.#pages.push(page);
      } catch (error) {
        // A name may have passed from one row to another meanwhile. Later, such a page is copied with all others.
        if (move !== '' || uniqueClash(error) === undefined) throw error;
        const missing = { ...page, rows: 0, hash: '' };
        await this.#put(removed, [], missing);
        this.#pages.push(missing);
      }
      this.#told(rows.length);
      if (rows.length < limit) return;
      const bytes = JSON.stringify(rows).length / rows.length;
      limit = Math.max(1, Math.min(pageRows, Math.floor(PAGE_BYTES / bytes)));
    }
  }

  #told(rows: number): void {
    this.rows += rows;
    this.#work.onPage(this.#shape.name, rows);
  }

  #partOf(page: number): KeyRange {
    const keyOf = (at: number) => {
      const record = this.#pages[at];
      return record && (JSON.parse(record.last) as Key);
    };
    return { after: keyOf(page - 1), upTo: keyOf(page) };
  }

  #keyOf(row: GivenRows[number]): Key {
    const names = Object.keys(this.#shape.columns);
    return this.#shape.key.map((name) => row[names.indexOf(name)] as string | number); // keys have values
  }

  /** Rows in the order of their key. Texts are read as they are stored, JSON too. */
  async #read(part: KeyRange, limit?: number): Promise<GivenRows> {
    const { name, columns } = this.#shape;
    const db = this.#work.from.patient;
    const onPostgres = isPostgres(db);
    const { text, values } = whereOf(this.#shape, part, onPostgres);
    const names = Object.keys(columns).map((column) =>
      columns[column] === 'json' || columns[column] === 'text'
        ? `cast(t.${column} as text) as ${column}`
        : `t.${column}`,
    );
    const order = orderOf(this.#shape, onPostgres).join(', ');
    const found = await select<Record<string, GivenRows[number][number]>>(
      db,
      `select ${names.join(', ')} from ${quoted(name)} as t${text} order by ${order}${limit === undefined ? '' : ` limit ${limit}`}`,
      values,
    );
    const keys = Object.keys(columns).map((column) => column.slice(1, -1));
    return found.map((row) => keys.map((key) => row[key]));
  }

  /** Writes a page; `removed`: the part whose earlier rows it replaces. */
  async #put(removed: KeyRange | undefined, rows: GivenRows, page: PageRecord | undefined): Promise<void> {
    const { name, columns } = this.#shape;
    const where = removed && whereOf(this.#shape, removed, isPostgres(this.#work.to.db));
    const removal = where && { text: `delete from ${quoted(name)} as t${where.text}`, values: where.values };
    try {
      await this.#write({ table: name, columns, removal, rows, page });
    } catch (error) {
      if (uniqueClash(error) !== undefined) throw error;
      throw new MoveError(`Rows of ${name} cannot be written: ${asError(error).message}. Run the command again.`);
    }
  }
}

const prepared = new WeakMap<Storage, ReturnType<typeof prepareOn>>();
const prepareOn = (storage: Storage) => storage.prepare(script);

function preparedOn(storage: Storage): ReturnType<typeof prepareOn> {
  let found = prepared.get(storage);
  if (!found) prepared.set(storage, (found = prepareOn(storage)));
  return found;
}

const hashOf = (rows: GivenRows): string => createHash('sha256').update(JSON.stringify(rows)).digest('base64');

/** Runs a statement whose placeholders are `$1`, `$2` …, on both databases. */
export async function select<Row>(
  db: Kysely<Tables>,
  text: string,
  values: readonly (string | number)[] = [],
): Promise<Row[]> {
  const { rows } = await db.executeQuery(CompiledQuery.raw(text, [...values]));
  return rows as Row[]; // the author of the statement declares its columns
}
