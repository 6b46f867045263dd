import type { BotMenuEntry, BotMenuInput, ListQuery, Page } from '@relay-hub/contract';
import { startsWith } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { uniqueClash } from '#db/unique-clash.ts';
import { AppError, ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';

/** Telegram shows at most this many commands. */
const MOST_ENTRIES = 90;

export async function listBotMenu(db: Db, query: ListQuery & { keyword: string }): Promise<Page<BotMenuEntry>> {
  let entries = db.selectFrom('telegram_menus').selectAll();
  const { keyword } = query;
  if (keyword !== '') {
    const id = /^\d{1,9}$/.test(keyword) ? Number(keyword) : 0;
    entries = entries.where(({ eb, or }) =>
      or([startsWith('command', keyword.replace(/^\//, '').toLowerCase()), eb('id', '=', id)]),
    );
  }
  return pageOfRows(entries, query);
}

export async function getBotMenuEntry(db: Db, id: number): Promise<BotMenuEntry> {
  const entry = await db.selectFrom('telegram_menus').where('id', '=', id).selectAll().executeTakeFirst();
  ensure(entry, 'record.not_found', { field: 'id' });
  return entry;
}

/** All entries, in the order of the menu. */
export const botMenu = (db: Db): Promise<BotMenuEntry[]> =>
  db.selectFrom('telegram_menus').selectAll().orderBy('id').execute();

/** The entry of a command; undefined: there is none. */
export const findBotMenuEntry = (db: Db, command: string): Promise<BotMenuEntry | undefined> =>
  db.selectFrom('telegram_menus').where('command', '=', command).selectAll().executeTakeFirst();

/** Creates an entry, or updates the one with the id. Throws `record.exists` and `telegram.full`. */
export async function saveBotMenuEntry(db: Db, { id, ...entry }: BotMenuInput): Promise<BotMenuEntry> {
  try {
    const saved = id === 0 ? await insert(db, entry) : await update(db, id, entry);
    ensure(saved, 'record.not_found', { field: 'id' });
    return saved;
  } catch (error) {
    if (!uniqueClash(error)?.includes('command')) throw error;
    throw new AppError('record.exists', { field: 'command', name: entry.command });
  }
}

async function insert(db: Db, entry: Omit<BotMenuInput, 'id'>): Promise<BotMenuEntry | undefined> {
  const { count } = await db
    .selectFrom('telegram_menus')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  ensure(count < MOST_ENTRIES, 'telegram.full', { most: MOST_ENTRIES });
  return db.insertInto('telegram_menus').values(entry).returningAll().executeTakeFirst();
}

const update = (db: Db, id: number, entry: Omit<BotMenuInput, 'id'>): Promise<BotMenuEntry | undefined> =>
  db.updateTable('telegram_menus').set(entry).where('id', '=', id).returningAll().executeTakeFirst();

export async function removeBotMenuEntry(db: Db, id: number): Promise<void> {
  const gone = await db.deleteFrom('telegram_menus').where('id', '=', id).returning('id').executeTakeFirst();
  ensure(gone, 'record.not_found', { field: 'id' });
}
