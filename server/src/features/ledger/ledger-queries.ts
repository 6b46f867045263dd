import type { LedgerEntry, LedgerKind, ListQuery, Page } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { EntryRow, EntryReader } from './entry-names.ts';
import { EntryNames } from './entry-names.ts';
import type { EntryFilters, Order, EntryCursor } from './find-entries.ts';
import { findEntries, orderOf } from './find-entries.ts';

/** Counting stops this far beyond a page, so its cost does not depend on the table's size. */
const COUNTED_BEYOND = 100_000;

const LAST_PAGE = 1_000_000_000;

/** One page of the matching entries, and a lower bound of their number. */
export async function listEntries(
  db: Db,
  { page: requestedPage, size, order: requestedOrder, ...filters }: ListQuery & EntryFilters,
  reader: EntryReader,
): Promise<Page<LedgerEntry> & { more: boolean }> {
  const page = Math.min(requestedPage, LAST_PAGE);
  const offset = (page - 1) * size;
  const order = orderOf(requestedOrder, filters);
  const rows = await readEntries(db, findEntries(db, filters), { order, size, offset });
  const counted = await count(db, filters, { order, size, offset, rows });
  return { data: await new EntryNames(db, reader).resolve(rows), page, size, ...counted };
}

/** Starts at the page's last row, so that the offset is skipped only once. */
async function count(
  db: Db,
  filters: EntryFilters,
  { order, size, offset, rows }: { order: Order; size: number; offset: number; rows: EntryRow[] },
): Promise<{ total_count: number; more: boolean }> {
  const last = rows.at(-1);
  if (!last)
    return { total_count: offset === 0 ? 0 : await countUpTo(db, offset, findEntries(db, filters)), more: false };
  const seen = offset + rows.length;
  if (rows.length < size) return { total_count: seen, more: false };
  const beyond = await countUpTo(db, COUNTED_BEYOND + 1, findEntries(db, filters, { ...last, order }));
  return { total_count: seen + Math.min(beyond, COUNTED_BEYOND), more: beyond > COUNTED_BEYOND };
}

async function countUpTo(db: Db, most: number, found: ReturnType<typeof findEntries>): Promise<number> {
  const counted = await db
    .selectFrom(found.limit(most).as('found'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return counted.count;
}

const ROWS_A_READ = 500;

/** All matching entries in chronological order, read on demand. */
export async function* allEntries(
  db: Db,
  { order: requestedOrder, ...filters }: Pick<ListQuery, 'order'> & EntryFilters,
  reader: EntryReader,
): AsyncGenerator<LedgerEntry, void> {
  const order = orderOf(requestedOrder, filters);
  const names = new EntryNames(db, reader);
  let last: EntryCursor | undefined;
  do {
    const found = findEntries(db, filters, last && { ...last, order });
    const rows = await readEntries(db, found, { order, size: ROWS_A_READ, offset: 0 });
    yield* await names.resolve(rows);
    last = rows.length === ROWS_A_READ ? rows.at(-1) : undefined;
  } while (last);
}

/** The entry with a reference, if any. */
export async function findByReference(
  db: Db,
  reference: string,
  reader: EntryReader,
): Promise<LedgerEntry | undefined> {
  const rows = await readEntries(
    db,
    db.selectFrom('ledger').where('reference', '=', reference).select(['id', 'created_time']),
    { order: { columns: ['id'], direction: 'desc' }, size: 1, offset: 0 },
  );
  return (await new EntryNames(db, reader).resolve(rows))[0];
}

/** The entries with these references as administrators see them, oldest first; there are few. */
export async function entriesByReference(db: Db, references: readonly string[]): Promise<LedgerEntry[]> {
  const found = db.selectFrom('ledger').where('reference', 'in', references).select(['id', 'created_time']);
  const order: Order = { columns: ['id'], direction: 'asc' };
  const rows = await readEntries(db, found, { order, size: ENTRIES_OF_ONE, offset: 0 });
  return new EntryNames(db, 'administrator').resolve(rows);
}

const ENTRIES_OF_ONE = 200;

/** Selects positions before reading rows, which keeps deep pages fast. */
async function readEntries(
  db: Db,
  found: ReturnType<typeof findEntries>,
  { order: { columns, direction }, size, offset }: { order: Order; size: number; offset: number },
): Promise<EntryRow[]> {
  let places = db.selectFrom(found.as('found')).select('found.id').limit(size).offset(offset);
  let rows = db
    .selectFrom('ledger')
    .select(['id', 'user_id', 'token_id', 'kind', 'credits', 'balance_after'])
    .select(['reference', 'actor_id', 'remark', 'created_time']);
  for (const column of columns) {
    places = places.orderBy(`found.${column}`, direction);
    rows = rows.orderBy(column, direction);
  }
  const data = await rows.where('id', 'in', places).execute();
  return data.map((row) => ({ ...row, kind: row.kind as LedgerKind })); // only the contract's kinds are posted
}
