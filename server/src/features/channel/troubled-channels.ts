import { channelStatus, troubleOf } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { channelHealths } from './channel-queries.ts';

/** What is looked at to tell which channels are in trouble. */
export type Watching = Pick<Deps, 'live' | 'now'>;

/** The channels in trouble, the worst first, as the dashboard has them. */
export async function troubledChannels(db: Db, { live, now }: Watching): Promise<number[]> {
  const [rows, health] = await Promise.all([
    db
      .selectFrom('channels')
      .where('deleted_time', 'is', null)
      .where('status', '<>', channelStatus.disabled)
      .select(['id', 'status', 'last_error', 'last_error_time', 'test_time'])
      .execute(),
    channelHealths(db, now()),
  ]);
  const at = Date.now();
  const channels = rows.map((row) => ({ ...row, frozen_until: live.health.frozenUntil(row.id, at) }));
  return troubleOf(channels, health, at).map(({ channel }) => channel.id);
}
