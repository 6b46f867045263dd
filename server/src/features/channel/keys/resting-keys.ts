import { channelStatus } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';

type RestingKey = Pick<Selectable<Tables['channel_keys']>, 'id' | 'channel_id' | 'test_time'>;

/** Pause between tests of a refused key, in seconds. */
const PAUSE_S = 600;
const SOME = 100;

/** Automatically disabled keys that are due for a test. */
export function restingKeys(db: Db, now: number): Promise<RestingKey[]> {
  return db
    .selectFrom('channel_keys')
    .innerJoin('channels', 'channels.id', 'channel_keys.channel_id')
    .where('channels.deleted_time', 'is', null)
    .where('channels.status', 'in', [channelStatus.enabled, channelStatus.testDisabled])
    .where('channel_keys.status', '=', channelStatus.testDisabled)
    .where('channel_keys.last_error_time', '<=', now - PAUSE_S)
    .where('channel_keys.test_time', '<=', now - PAUSE_S)
    .select(['channel_keys.id', 'channel_keys.channel_id', 'channel_keys.test_time'])
    .orderBy('channel_keys.test_time')
    .limit(SOME)
    .execute();
}

/** Claims the test of a key; false if another node was faster. */
export async function takeKeyInTurn(db: Db, key: RestingKey, now: number): Promise<boolean> {
  const taken = await db
    .updateTable('channel_keys')
    .set({ test_time: now })
    .where('id', '=', key.id)
    .where('test_time', '=', key.test_time)
    .where('status', '=', channelStatus.testDisabled)
    .returning('id')
    .executeTakeFirst();
  return taken !== undefined;
}
