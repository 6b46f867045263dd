import type { Notification } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';

const HOUR_S = 3600;
const MAX_TEXT = 300;

/** An event and its receiver: a user, or all administrators with 0. */
export interface NewNotification extends Pick<Notification, 'kind' | 'severity' | 'object_id' | 'params'> {
  userId: number;
  /** Unix seconds. */
  now: number;
  /** Equal ones are one notification; left out: those of an object within an hour. */
  fold?: string;
}

/** Stores a notification. One that is known is counted and gets the new time, but is not unread again. */
export async function notify(db: Db, what: NewNotification): Promise<void> {
  const { userId, kind, severity, object_id, params, now, fold } = what;
  const shortened = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? cut(value) : value,
  ]);
  await db
    .insertInto('notifications')
    .values({
      user_id: userId,
      fold: `${kind} ${fold ?? `${object_id} ${Math.floor(now / HOUR_S)}`}`,
      kind,
      severity,
      object_id,
      params: JSON.stringify(Object.fromEntries(shortened)),
      first_time: now,
      time: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'fold']).doUpdateSet((eb) => ({
        params: eb.ref('excluded.params'),
        time: eb.ref('excluded.time'),
        count: sql<number>`notifications.count + 1`,
      })),
    )
    .execute();
}

/** PostgreSQL stores no NUL in text. */
const cut = (text: string): string => text.slice(0, MAX_TEXT).toWellFormed().replaceAll('\0', '');
