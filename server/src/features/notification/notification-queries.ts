import { isAdmin, MOST_NOTIFICATIONS, type Notification } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';

/** Who reads; administrators also get the notifications of the site. */
export interface NotificationReader {
  id: number;
  role: number;
}

const SITE = 0;

const readersOf = ({ id, role }: NotificationReader): number[] => (isAdmin(role) ? [SITE, id] : [id]);

/** The newest ones that a reader has, and whether they were read. */
const newest = (db: Db, reader: NotificationReader) =>
  db
    .selectFrom('notifications')
    .leftJoin('notification_reads as seen', (join) =>
      join.onRef('seen.notification_id', '=', 'notifications.id').on('seen.user_id', '=', reader.id),
    )
    .where('notifications.user_id', 'in', readersOf(reader))
    .orderBy('notifications.time', 'desc')
    .orderBy('notifications.id', 'desc')
    .limit(MOST_NOTIFICATIONS);

export async function listNotifications(db: Db, reader: NotificationReader): Promise<Notification[]> {
  const rows = await newest(db, reader)
    .select(['id', 'kind', 'severity', 'object_id', 'params', 'time', 'count', 'seen.user_id as seenBy'])
    .execute();
  return rows.map(({ params, seenBy, ...row }) => ({
    ...row,
    params: JSON.parse(params) as Notification['params'], // written by `notify`
    read: seenBy !== null,
  }));
}

export async function unreadCount(db: Db, reader: NotificationReader): Promise<number> {
  const rows = await newest(db, reader).select('seen.user_id as seenBy').execute();
  return rows.filter(({ seenBy }) => seenBy === null).length;
}

/** Marks the reader's own ones among the ids, or all. */
export async function markRead(db: Db, reader: NotificationReader, ids: readonly number[] | undefined): Promise<void> {
  const rows = await newest(db, reader).select(['id', 'seen.user_id as seenBy']).execute();
  const marks = rows
    .filter(({ id, seenBy }) => seenBy === null && (ids?.includes(id) ?? true))
    .map(({ id }) => ({ user_id: reader.id, notification_id: id }));
  if (marks.length === 0) return;
  await db
    .insertInto('notification_reads')
    .values(marks)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
