import type { EventData, EventType, IncidentSeverity } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';

/** An event that ways may report. */
export interface NewEvent<T extends EventType> {
  type: T;
  /** Its subject, as in `order:5`. */
  object: string;
  /** The owner of the event; 0: the site. */
  userId: number;
  severity?: IncidentSeverity;
  data: EventData<T>;
  /** Unix seconds. */
  now: number;
}

/** Writes an event. Pass the transaction of its cause: then one exists if and only if the other does. Returns its id. */
export async function addEvent<T extends EventType>(trx: Db, event: NewEvent<T>): Promise<number> {
  const { type, object, userId, severity = 'info', data, now } = event;
  const { id } = await trx
    .insertInto('outbox')
    .values({ type, object, user_id: userId, severity, payload: JSON.stringify(data), time: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
