import { newestObject } from '#affinity/upstream-objects.ts';
import type { UpstreamObjectKind } from '#db/tables/kept-objects.ts';
import type { Deps } from '#deps.ts';
import type { Caller } from '#live/callers.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import { fits } from '#relay/select/provider-wishes.ts';
import type { StatePlace } from '#relay/types/call-state.ts';

/** Owner of the object, and the channels that can keep it. */
interface NewObject {
  caller: Pick<Caller, 'userId' | 'limits'>;
  group: string;
  /** The user's newest object of the first of these kinds decides. */
  kinds: readonly UpstreamObjectKind[];
  keeps(channel: LiveChannel): boolean;
}

/**
 * Where the user's objects are already, so that one request can name several of them; else the preferred channel.
 * Undefined: no channel of the group keeps such objects.
 */
export async function placeForNew(deps: Deps, object: NewObject): Promise<StatePlace | undefined> {
  const { caller, group, kinds, keeps } = object;
  const { userId, limits } = caller;
  const isAllowed = (channel: LiveChannel): boolean => !limits?.provider || fits(limits.provider, channel);
  const keepers = [...deps.live.routes.channels()]
    .filter((channel) => channel.groups.includes(group) && keeps(channel) && isAllowed(channel))
    .toSorted((a, b) => b.priority - a.priority || b.weight - a.weight || a.id - b.id);
  const channelIds = keepers.map(({ id }) => id);
  let newest: StatePlace | undefined;
  for (const kind of kinds) newest ??= await newestObject(deps.db, userId, kind, { channelIds, now: deps.now() });
  const channel = keepers.find(({ id }) => id === newest?.channelId) ?? keepers[0];
  const key = channel?.keys.find(({ id }) => id === newest?.keyId) ?? channel?.keys[0];
  return channel && key && { channelId: channel.id, keyId: key.id };
}
