import { type AttemptKind, type ChannelHealth, healthHours } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';

/** Soft-deletes a channel, because log rows keep referring to it. */
export async function removeChannel(db: Db, id: number, now: number): Promise<void> {
  const removed = await db
    .updateTable('channels')
    .set({ deleted_time: now })
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .returning('id')
    .executeTakeFirst();
  ensure(removed, 'record.not_found', { field: 'id' });
}

const HOUR_S = 3600;
/** Kinds of failed attempts that do not reflect on the channel. */
const NOT_ITS_OWN: AttemptKind[] = ['request', 'caller'];

type HealthHour = ChannelHealth['hours'][number];

/** Start of the latest `hours` hours, the current one included. */
const since = (now: number, hours: number) => now - (now % HOUR_S) - (hours - 1) * HOUR_S;

const counted = (db: Db, from: number) =>
  db.selectFrom('attempts_by_channel').where('hour', '>=', from).where('kind', 'not in', NOT_ITS_OWN);

/** Attempts and failures per channel for each of the last 24 hours, the current one included. */
export async function channelHealths(db: Db, now: number): Promise<ChannelHealth[]> {
  const first = since(now, healthHours);
  const channels = await db
    .selectFrom('channels')
    .where('deleted_time', 'is', null)
    .select('id')
    .orderBy('id')
    .execute();
  const healths = new Map(channels.map(({ id }) => [id, { channel_id: id, hours: noHours() }]));
  const rows = await counted(db, first).select(['channel_id', 'hour', 'kind', 'attempts']).execute();
  for (const { channel_id: id, hour, kind, attempts } of rows) {
    const slot = healths.get(id)?.hours[(hour - first) / HOUR_S];
    if (!slot) continue;
    slot.requests += attempts;
    if (kind === 'ok' || kind === 'request' || kind === 'caller') continue;
    slot.failures += attempts;
    (slot.reasons ??= {})[kind] = attempts;
  }
  return [...healths.values()];
}

const noHours = (): HealthHour[] => Array.from({ length: healthHours }, () => ({ requests: 0, failures: 0 }));
