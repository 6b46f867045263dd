import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Storage } from '#db/open.ts';
import { openStorage } from '#db/open.ts';
import { newSqlite } from '#testing/databases.ts';
import type { EntryFilters } from './find-entries.ts';
import { findEntries, orderOf } from './find-entries.ts';

let storage: Storage;
let remove: () => Promise<void>;

beforeAll(async () => {
  const database = await newSqlite();
  remove = database.remove;
  storage = openStorage(database);
});
afterAll(async () => {
  await storage?.close();
  await remove?.();
});

/** SQLite's query plan for a page; there are no statistics here. */
async function planOf(filters: Partial<EntryFilters>, isDeep: boolean): Promise<string> {
  const all = { kind: [], keyword: '', start_timestamp: 0, end_timestamp: 0, ...filters };
  const order = orderOf('', all);
  const found = findEntries(storage.db, all, isDeep ? { created_time: 1, id: 1, order } : undefined);
  let page = storage.db.selectFrom(found.as('found')).select('found.id').limit(10).offset(100);
  for (const column of order.columns) page = page.orderBy(`found.${column}`, order.direction);
  const { sql, parameters } = page.compile();
  const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
  const { rows } = await storage.db.executeQuery<{ detail: string }>(explain);
  return rows.map(({ detail }) => detail).join('\n');
}

const rare = { kind: ['topup', 'gift'] } as const;
const period = { start_timestamp: 5, end_timestamp: 9 };

test.each<[what: string, filters: Partial<EntryFilters>, index: string]>([
  ['all of a user', { userId: 2 }, 'ledger_user_booked'],
  ['a user’s calls', { userId: 2, kind: ['settle'] }, 'ledger_user_booked'],
  ['what is no call of a user', { userId: 2, ...rare }, 'ledger_other_user_booked'],
  ['a user’s period', { userId: 2, ...period }, 'ledger_user_time'],
  ['what is no call in a user’s period', { userId: 2, ...period, ...rare }, 'ledger_other_user_time'],
  ['all of everybody', {}, 'ledger_time'],
  ['what is no call of everybody', rare, 'ledger_other_time'],
  ['everybody’s period', period, 'ledger_time'],
])('%s: read from one index, in its order', async (_, filters, index) => {
  for (const isDeep of [false, true]) {
    const plan = await planOf(filters, isDeep);
    expect(plan).toMatch(new RegExp(`^(SEARCH|SCAN) ledger USING COVERING INDEX ${index}\\b[^\\n]*$`));
  }
});

test.each<[what: string, filters: Partial<EntryFilters>]>([
  ['a user’s', { userId: 2 }],
  ['everybody’s', {}],
  ['a period’s', { userId: 2, ...period }],
])('%s keyword: looked for in what is no call, and among the references', async (_, filters) => {
  for (const isDeep of [false, true]) {
    const plan = await planOf({ ...filters, keyword: 'x' }, isDeep);
    expect(plan).toMatch(/INDEX sqlite_autoindex_ledger_1 \(reference=\?\)/);
    expect(plan).toMatch(/COVERING INDEX ledger_other_/);
    expect(plan).not.toMatch(/SCAN ledger$|INDEX ledger_(user_)?(time|booked)|rowid[<>]/m);
  }
});
