import {
  type AttemptKind,
  type ChannelHealth,
  healthHours,
  type LatestAttempts,
  recentHours,
} from '@relay-hub/contract';
import type { ExpressionBuilder } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
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

/** Sums of these channels' latest attempts, computed in SQL; channels without attempts are left out. */
export async function latestAttempts(
  db: Db,
  now: number,
  ids: readonly number[] | 'all',
): Promise<Map<number, LatestAttempts>> {
  const sum = (eb: ExpressionBuilder<Tables, 'attempts_by_channel'>, from: number, failed: boolean) =>
    eb.fn.sum<number>(
      eb
        .case()
        .when(eb.and([eb('hour', '>=', from), ...(failed ? [eb('kind', '<>', 'ok')] : [])]))
        .then(eb.ref('attempts'))
        .else(0)
        .end(),
    );
  const first = since(now, healthHours);
  const recent = since(now, recentHours);
  const all = counted(db, first);
  const rows = await (ids === 'all' ? all : all.where('channel_id', 'in', ids))
    .groupBy('channel_id')
    .select('channel_id')
    .select((eb) => [
      sum(eb, recent, false).as('recent'),
      sum(eb, recent, true).as('recent_failed'),
      sum(eb, first, false).as('day'),
      sum(eb, first, true).as('day_failed'),
    ])
    .execute();
  return new Map(
    rows.map((row) => [
      row.channel_id,
      {
        recent: { requests: row.recent, failures: row.recent_failed },
        day: { requests: row.day, failures: row.day_failed },
      },
    ]),
  );
}
