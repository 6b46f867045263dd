import { byTrouble, type ChannelTrouble, channelStatus, type TroubleFields } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { channelTroubles } from '#live/hour/channel-troubles.ts';

export type TroubleDeps = Pick<Deps, 'hour' | 'live' | 'now'>;

/** The troubled channels, the most severe first. */
export async function troubledChannels(db: Db, watching: TroubleDeps): Promise<Map<number, ChannelTrouble>> {
  const rows = await db
    .selectFrom('channels')
    .where('deleted_time', 'is', null)
    .where('status', '<>', channelStatus.disabled)
    .select(['id', 'status', 'last_error', 'last_error_time', 'test_time'])
    .execute();
  const troubles = await troublesOf(db, watching, rows);
  const troubled = [...troubles].map(([id, trouble]) => ({ id, trouble }));
  return new Map(troubled.toSorted(byTrouble).map(({ id, trouble }) => [id, trouble]));
}

/** The trouble of each of these channels; healthy ones are left out. */
export async function troublesOf(
  db: Db,
  { hour, live, now }: TroubleDeps,
  rows: readonly Omit<TroubleFields, 'frozen_until'>[],
): Promise<Map<number, ChannelTrouble>> {
  if (rows.length === 0) return new Map();
  const at = Date.now();
  return channelTroubles(
    db,
    {
      minutes: await hour.recentOnAll(db),
      frozenUntil: (id) => live.restsUntil(id, at) / 1000,
      now: now(),
      poor: live.settings.SuccessRatePoor,
    },
    rows,
  );
}
