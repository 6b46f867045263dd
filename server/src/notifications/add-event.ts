import type { EventType, IncidentSeverity } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';

/** An event that ways may report. */
export interface NewEvent {
  type: EventType | 'way.test';
  /** Its subject, as in `order:5`. */
  object: string;
  /** The owner of the event; 0: the site. */
  userId: number;
  severity?: IncidentSeverity;
  data: Record<string, unknown>;
  /** Unix seconds. */
  now: number;
}

/** Writes an event. Pass the transaction of its cause: then one exists if and only if the other does. Returns its id. */
export async function addEvent(trx: Db, event: NewEvent): Promise<number> {
  const { type, object, userId, severity = 'info', data, now } = event;
  const { id } = await trx
    .insertInto('outbox')
    .values({ type, object, user_id: userId, severity, payload: JSON.stringify(data), time: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
