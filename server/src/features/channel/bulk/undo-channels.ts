import { randomUUID } from 'node:crypto';
import { channelStatus } from '@relay-hub/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { ChannelBefore } from '#db/tables/channels.ts';
import { ensure } from '#errors.ts';
import { touch } from '#live/revisions.ts';
import { switchKeys } from '#features/channel/keys/channel-keys.ts';
import { untouchedRows, writeRows } from './write-rows.ts';

/** How long a change can be undone, in seconds. */
const KEPT_S = 15 * 60;

/** Stores the previous values of changed channels. Returns the id for `undoChange`. */
export async function keepUndo(
  trx: Transaction<Tables>,
  rows: readonly ChannelBefore[],
  actorId: number,
  now: number,
): Promise<string> {
  const id = randomUUID();
  await trx
    .deleteFrom('channel_undos')
    .where('created_time', '<', now - KEPT_S)
    .execute();
  await trx
    .insertInto('channel_undos')
    .values({ id, actor_id: actorId, created_time: now, rows: JSON.stringify(rows) })
    .execute();
  return id;
}

/**
 * Restores the values before a change, once. Channels modified since are left alone. Throws `channel.undo_gone` if it
 * was undone already or has expired.
 */
export async function undoChange(
  db: Kysely<Tables>,
  id: string,
  now: number,
): Promise<{ restored: number; kept: number }> {
  return db.transaction().execute(async (trx) => {
    await touch(trx, 'routes');
    const kept = await trx
      .deleteFrom('channel_undos')
      .where('id', '=', id)
      .returning(['created_time', 'rows'])
      .executeTakeFirst();
    ensure(kept && kept.created_time >= now - KEPT_S, 'channel.undo_gone');
    const back = await untouchedRows(trx, kept.rows);
    await writeRows(
      trx,
      back.map((row) => ({ ...row, before: row.after, after: row.before })),
    );
    const keys = back.flatMap(({ keys_off: off = [] }) => off);
    await switchKeys(trx, keys, channelStatus.disabled, channelStatus.enabled);
    return { restored: back.length, kept: kept.rows.length - back.length };
  });
}
