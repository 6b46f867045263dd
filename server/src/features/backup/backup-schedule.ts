import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Settings } from '#settings.ts';

/** Pause after a failed scheduled backup. */
const RETRY_S = 3600;
/** Failed attempts until the next day. */
const MOST_ATTEMPTS = 3;

type Schedule = Pick<Settings, 'BackupEnabled' | 'BackupHour'>;

/** The last time of the schedule until now, in Unix seconds, by the time zone of the process. */
export function lastSlot({ BackupHour: hour }: Pick<Schedule, 'BackupHour'>, now: number): number {
  const time = new Date(now * 1000);
  time.setHours(hour, 0, 0, 0);
  if (time.getTime() > now * 1000) time.setDate(time.getDate() - 1);
  return Math.floor(time.getTime() / 1000);
}

/** The next time of the schedule; 0: none. */
export function nextSlot(schedule: Schedule, now: number): number {
  if (!schedule.BackupEnabled) return 0;
  const time = new Date(lastSlot(schedule, now) * 1000);
  time.setDate(time.getDate() + 1);
  return Math.floor(time.getTime() / 1000);
}

/**
 * The name of the scheduled backup that is due, which only one node can take; undefined: none is due. A backup that was
 * made for another reason since then counts, and so does switching the schedule on: it begins with the next time.
 */
export async function dueSlot(db: Kysely<Tables>, schedule: Schedule, now: number): Promise<string | undefined> {
  if (!schedule.BackupEnabled) return undefined;
  const slot = lastSlot(schedule, now);
  const since = await db
    .selectFrom('option_changes')
    .where('key', 'in', ['BackupEnabled', 'BackupHour'])
    .select(({ fn }) => fn.max<number | null>('created_time').as('time'))
    .executeTakeFirst();
  if ((since?.time ?? 0) > slot) return undefined;
  const runs = await db
    .selectFrom('backups')
    .where('started_time', '>=', slot)
    .select(['state', 'started_time'])
    .orderBy('id', 'desc')
    .execute();
  if (runs.some(({ state }) => state !== 'failed')) return undefined;
  if (runs.length >= MOST_ATTEMPTS || (runs[0] && runs[0].started_time > now - RETRY_S)) return undefined;
  return `${slot} ${runs.length + 1}`;
}
