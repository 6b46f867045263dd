import { byTrouble, type ChannelTrouble, channelStatus, troubleOf, type TroubleFields } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { latestAttempts } from './channel-queries.ts';

export type TroubleDeps = Pick<Deps, 'live' | 'now'>;

/** The troubled channels, the most severe first. The single source for lists, counts and the dashboard. */
export async function troubledChannels(db: Db, watching: TroubleDeps): Promise<Map<number, ChannelTrouble>> {
  const rows = await db
    .selectFrom('channels')
    .where('deleted_time', 'is', null)
    .where('status', '<>', channelStatus.disabled)
    .select(['id', 'status', 'last_error', 'last_error_time', 'test_time'])
    .execute();
  const troubles = await troublesOf(db, watching, rows);
  const troubled = rows.flatMap(({ id }) => {
    const trouble = troubles.get(id);
    return trouble ? [{ id, trouble }] : [];
  });
  return new Map(troubled.toSorted(byTrouble).map(({ id, trouble }) => [id, trouble]));
}

type Row = Omit<TroubleFields, 'frozen_until'>;

/** The trouble of each of these channels; healthy ones are left out. */
export async function troublesOf(
  db: Db,
  { live, now }: TroubleDeps,
  rows: readonly Row[],
): Promise<Map<number, ChannelTrouble>> {
  if (rows.length === 0) return new Map();
  const latest = await latestAttempts(db, now(), rows.length > FEW ? 'all' : rows.map(({ id }) => id));
  const at = Date.now();
  const scale = { now: at / 1000, poor: live.settings.SuccessRatePoor };
  const troubles = new Map<number, ChannelTrouble>();
  for (const row of rows) {
    const watched = { ...row, frozen_until: live.restsUntil(row.id, at) / 1000 };
    const trouble = troubleOf(watched, latest.get(row.id) ?? NONE, scale);
    if (trouble) troubles.set(row.id, trouble);
  }
  return troubles;
}

const none = { requests: 0, failures: 0 };
const NONE = { recent: none, day: none };

/** Above this number, filtering by ids costs more than it saves. */
const FEW = 100;
