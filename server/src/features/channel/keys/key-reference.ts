import type { ChannelEdit, NewChannel } from '@relay-hub/contract';

/**
 * In family mode a record shows this instead of a key, because old clients copy a channel by creating what they loaded.
 * It leads to the key on this server only, and only for the same destination, see `createChannels`.
 */
export const keyReference = (channelId: number): string => `channel:${channelId}`;

const reference = /^channel:([1-9]\d{0,14})$/;

const idIn = (key: string): number | undefined => {
  const [, id] = reference.exec(key.trim()) ?? [];
  return id === undefined ? undefined : Number(id);
};

/** A new channel whose reference, or whose original's id next to an empty key, names the channel to copy. */
export function copyOfReferred({ id, ...channel }: NewChannel): Omit<NewChannel, 'id'> {
  const referred = idIn(channel.key);
  const key = referred === undefined ? channel.key : '';
  const copy_of = channel.copy_of || (referred ?? (key.trim() === '' ? id : 0));
  return { ...channel, key, copy_of };
}

/** A request for a stored channel's models, in which a reference to its own key means the stored key. */
export const listOfReferred = <T extends { id: number; key: string }>(list: T): T => {
  const referred = idIn(list.key);
  return referred !== undefined && (list.id === 0 || list.id === referred) ? { ...list, id: referred, key: '' } : list;
};

/** An edit without a reference to the channel's own key, which means "unchanged". */
export function editOfReferred(edit: ChannelEdit): ChannelEdit {
  return edit.key !== undefined && idIn(edit.key) === edit.id ? { ...edit, key: '' } : edit;
}
