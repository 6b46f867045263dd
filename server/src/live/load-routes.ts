import { channelStatus, splitList } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import type { Logger } from 'pino';
import type { Db, Tables } from '#db/tables.ts';
import type { Secrets } from '#secrets.ts';
import { liveChannel, type SealedKey } from './live-channel.ts';
import { loadPurchases } from './purchases.ts';
import type { DisabledChannel, LiveChannel } from './routing-table.ts';
import { RoutingTable } from './routing-table.ts';

type Row = Selectable<Tables['channels']>;

/** All channels in the form that calls use. Unusable ones are left out, with a line in the process log. */
export async function loadRoutes(db: Db, secrets: Secrets, log: Logger): Promise<RoutingTable> {
  const rows = await db.selectFrom('channels').selectAll().where('deleted_time', 'is', null).execute();
  const keys = await keysInUse(db);
  const purchases = await loadPurchases(db);
  const channels: LiveChannel[] = [];
  const resting: DisabledChannel[] = [];
  for (const row of rows) {
    const live = row.status === channelStatus.enabled && liveChannel(row, keys.get(row.id) ?? [], secrets);
    if (live === false) resting.push(restingOf(row));
    else if (typeof live === 'string') log.warn({ channel: row.id, type: row.type }, `channel is left out: ${live}`);
    else channels.push({ ...live, purchases: purchases.get(row.id) });
  }
  return new RoutingTable(channels, resting);
}

const restingOf = ({ id, name, type, priority, weight, models, group }: Row): DisabledChannel => ({
  id,
  name,
  type,
  priority,
  weight,
  models: splitList(models),
  groups: splitList(group),
});

/** Enabled keys by channel, in their order. */
async function keysInUse(db: Db): Promise<Map<number, SealedKey[]>> {
  const rows = await db
    .selectFrom('channel_keys')
    .where('status', '=', channelStatus.enabled)
    .select(['id', 'channel_id', 'key_cipher'])
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, (row) => row.channel_id);
}
