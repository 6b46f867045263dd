import type {
  Announcement,
  announcementApi,
  announcementEdit,
  newAnnouncement,
  Page,
  ParsedOf,
} from '@relay-hub/contract';
import type * as z from 'zod/mini';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';

const shown = <T extends { mail_after: number }>({ mail_after: _mailAfter, ...row }: T) => row;

export async function listAnnouncements(
  db: Db,
  query: ParsedOf<typeof announcementApi.list>['query'],
): Promise<Page<Announcement>> {
  const page = await pageOfRows(db.selectFrom('announcements').selectAll(), query);
  return { ...page, data: page.data.map(shown) };
}

export async function getAnnouncement(db: Db, id: number): Promise<Announcement> {
  const row = await db.selectFrom('announcements').selectAll().where('id', '=', id).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return shown(row);
}

export async function createAnnouncement(
  db: Db,
  { mail, ...given }: z.output<typeof newAnnouncement>,
  by: { username: string; now: number },
): Promise<Announcement> {
  const row = await db
    .insertInto('announcements')
    .values({
      ...columnsOf(given, by.now),
      created_time: by.now,
      created_by: by.username,
      mail_state: mail ? 'sending' : 'none',
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return shown(row);
}

/** Throws `record.not_found`. */
export async function updateAnnouncement(
  db: Db,
  { id, ...given }: z.output<typeof announcementEdit>,
  now: number,
): Promise<Announcement> {
  const row = await db
    .updateTable('announcements')
    .set(columnsOf(given, now))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return shown(row);
}

/** Throws `record.not_found`. */
export async function removeAnnouncement(db: Db, id: number): Promise<void> {
  const gone = await db.deleteFrom('announcements').where('id', '=', id).returning('id').executeTakeFirst();
  ensure(gone, 'record.not_found', { field: 'id' });
}

function columnsOf(given: Omit<z.output<typeof announcementEdit>, 'id'>, now: number) {
  const { texts, groups, languages, ...rest } = given;
  const isForAll = rest.kind === 'maintenance';
  return {
    ...rest,
    start_time: rest.start_time || now,
    texts: JSON.stringify(texts),
    groups: JSON.stringify(isForAll ? [] : groups),
    languages: JSON.stringify(isForAll ? [] : languages),
  };
}
