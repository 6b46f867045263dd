import type { ChannelEdit, SavedChannel } from '@relay-hub/contract';
import { channelStatus } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import { given } from '#db/given.ts';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { openKeys, replaceKeys, sameKeys } from '#features/channel/keys/channel-keys.ts';
import { channelColumns, type ChannelRow, recordOf } from './channel-record.ts';
import { checkGroups, checkReach } from './channel-rules.ts';
import { sentAddress } from './create-channels.ts';
import { keysIn } from '#features/channel/keys/key-text.ts';
import { undoOf } from '#features/channel/bulk/change-channels.ts';
import { plannedEdit, typeAfter } from '#features/channel/bulk/plan-edit.ts';
import { keepUndo } from '#features/channel/bulk/undo-channels.ts';

/**
 * Updates the given fields only; an absent or empty key keeps the stored ones, any other replaces them. An edit of the
 * rules or limits can be undone. Throws the
 * errors of `plannedEdit`, `outbound.private`, and errors of the keys.
 */
export async function updateChannel(
  { db, hour, secrets, live, config, now }: Pick<Deps, 'db' | 'hour' | 'secrets' | 'live' | 'config' | 'now'>,
  { id, ...edit }: ChannelEdit,
  actorId: number,
): Promise<SavedChannel> {
  checkReach(given({ base_url: edit.base_url, proxy: edit.proxy }), operatorReach({ config, live }));
  if (edit.group !== undefined) await checkGroups(db, edit.group);
  return db.transaction().execute(async (trx) => {
    const before = await lockedRow(trx, id);
    const set = plannedEdit(secrets, before, edit);
    const keys = keysIn(edit.key ?? '', typeAfter(edit, before));
    if (keys.length > 0) await replaceKeys(trx, { secrets, now }, id, keys);
    // Keys that stay must fit the new type.
    else if (set.type !== undefined)
      keysIn((await openKeys(trx, secrets, id)).map(({ key }) => key).join('\n'), typeAfter(edit, before));
    // Enabling it or replacing its key asserts that the channel works.
    if (edit.status === channelStatus.enabled || keys.length > 0) live.absolve(id);
    const after = Object.keys(set).length === 0 ? before : await write(trx, id, set);
    return {
      ...(await recordOf(trx, { hour, secrets, live, now }, after)),
      ...sentAddress(edit.base_url, after),
      ...(keys.length > 0 && (await sameKeys(trx, [after]))(after)),
      // Replaced keys cannot be undone.
      ...(('request_rules' in set || 'limits' in set) &&
        keys.length === 0 && { undo: await keepUndo(trx, [undoOf(before, set)], actorId, now()) }),
    };
  });
}

/** A channel's row, locked until the transaction ends. */
export async function lockedRow(trx: Transaction<Tables>, id: number): Promise<ChannelRow> {
  const rows = trx.selectFrom('channels').where('id', '=', id).where('deleted_time', 'is', null).select(channelColumns);
  const row = await locked(rows, trx).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return row;
}

const write = (trx: Transaction<Tables>, id: number, set: object): Promise<ChannelRow> =>
  trx.updateTable('channels').set(set).where('id', '=', id).returning(channelColumns).executeTakeFirstOrThrow();
