import type { ChannelHealth } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';

/** Takes the channel out of use; log rows keep naming it. */
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

const HOURS = 24;

/** Calls and failures of each channel in each of the last 24 hours, this one included. */
export async function channelHealths(db: Db, now: number): Promise<ChannelHealth[]> {
  const first = now - (now % 3600) - (HOURS - 1) * 3600;
  const channels = await db
    .selectFrom('channels')
    .where('deleted_time', 'is', null)
    .select('id')
    .orderBy('id')
    .execute();
  const rows = await db
    .selectFrom('usage_by_channel')
    .where('hour', '>=', first)
    .groupBy(['channel_id', 'hour'])
    .select(['channel_id', 'hour'])
    .select(({ fn }) => [fn.sum<number>('request_count').as('requests'), fn.sum<number>('failed_count').as('failures')])
    .execute();
  const healths = new Map<number, ChannelHealth>();
  for (const { id } of channels) {
    healths.set(id, { channel_id: id, hours: Array.from({ length: HOURS }, () => ({ requests: 0, failures: 0 })) });
  }
  for (const { channel_id: id, hour, requests, failures } of rows) {
    const slot = healths.get(id)?.hours[(hour - first) / 3600];
    if (slot) Object.assign(slot, { requests, failures });
  }
  return [...healths.values()];
}
