import {
  channelApi,
  channelBatchApi,
  channelStatus,
  type Channel,
  type ChannelChange,
  type ChannelChanged,
  type ChannelScope,
} from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import { call } from '#api/call.ts';
import { fetchAllChannels } from '#api/all-channels.ts';
import { toast } from '#ui/feedback/toast.ts';
import { patchChannel, refreshChannels } from '#screens/panel/channel/channel-cache.ts';
import { undoChange } from '#screens/panel/channel/channel-more-api.ts';
import { channelTexts } from '#screens/panel/channel/channel-texts.ts';

type Settable = typeof channelStatus.enabled | typeof channelStatus.disabled;

/** Changes several channels in one step; rejects with the server's error. */
export const applyChange = (scope: ChannelScope, change: ChannelChange): Promise<ChannelChanged> =>
  call(channelBatchApi.apply, { body: { scope, change } });

/** Shows the result in a toast with Undo. */
export function toastChanged(client: QueryClient, { changed, skipped, undo }: ChannelChanged, message: string): void {
  const t = channelTexts();
  void refreshChannels(client);
  if (changed === 0) return toast.info(t('change.none'));
  const words = skipped > 0 ? `${message}${t('job.comma')}${t('change.skipped', { count: skipped })}` : message;
  toastSaved(client, undo, words);
}

/** Shows a change that can be undone. */
export const toastSaved = (client: QueryClient, undo: string, message: string): void =>
  toast.undo(message, () => void takeBack(client, undo));

async function takeBack(client: QueryClient, undo: string): Promise<void> {
  const t = channelTexts();
  try {
    const { restored, kept } = await undoChange(undo);
    const message = t('change.undone', { count: restored });
    if (kept > 0) toast.warning(message, { detail: t('change.kept', { count: kept }) });
    else toast.success(message);
  } catch (error) {
    toastFailure(error);
  }
  void refreshChannels(client);
}

function toastFailure(error: unknown): void {
  toast.error(channelTexts()('change.failed'), { detail: error instanceof Error ? error.message : String(error) });
}

/** Applies a change at once and offers Undo; resolves with whether it was done. */
async function changeWithToast(
  client: QueryClient,
  scope: ChannelScope,
  change: ChannelChange,
  message: (changed: number) => string,
): Promise<boolean> {
  try {
    const done = await applyChange(scope, change);
    toastChanged(client, done, message(done.changed));
    return true;
  } catch (error) {
    toastFailure(error);
    void refreshChannels(client);
    return false;
  }
}

export async function switchChannels(
  client: QueryClient,
  channels: readonly Channel[],
  status: Settable,
  scope: ChannelScope = { ids: channels.map(({ id }) => id) },
): Promise<void> {
  const t = channelTexts();
  const verb = status === channelStatus.enabled ? 'enable' : 'disable';
  // Rows show the new status before the server confirms it.
  const changing = channels.filter((channel) => channel.status !== status);
  for (const { id } of changing) patchChannel(client, id, { status });
  const [one] = changing;
  const done = await changeWithToast(client, scope, { verb }, (count) =>
    t(count === 1 ? `${verb}.done` : `${verb}.doneMany`, { count, name: one?.name ?? '' }),
  );
  if (!done) for (const { id, status: before } of changing) patchChannel(client, id, { status: before });
}

/** Deletes channels; logs and charges stay, and Undo works for a while. */
export async function deleteChannels(
  client: QueryClient,
  channels: readonly Channel[],
  scope: ChannelScope = { ids: channels.map(({ id }) => id) },
): Promise<boolean> {
  const t = channelTexts();
  const [one] = channels;
  return changeWithToast(client, scope, { verb: 'delete' }, (count) =>
    t(count === 1 ? 'delete.done' : 'delete.doneMany', { count, name: one?.name ?? '' }),
  );
}

export async function untag(client: QueryClient, { id, name }: Channel): Promise<void> {
  try {
    patchChannel(client, id, await call(channelApi.untag, { params: { id } }));
    toast.success(channelTexts()('untagged', { name }));
  } catch (error) {
    toastFailure(error);
  }
  void refreshChannels(client);
}

/** Saves a number edited in a row; restores the old one when refused. */
export async function saveNumber(
  client: QueryClient,
  channel: Channel,
  field: 'priority' | 'weight',
  value: number,
): Promise<void> {
  const { id, [field]: stored } = channel;
  patchChannel(client, id, { [field]: value });
  try {
    await call(channelApi.update, { body: { id, [field]: value } });
  } catch (error) {
    patchChannel(client, id, { [field]: stored });
    toastFailure(error);
  }
  void refreshChannels(client);
}

/** All disabled channels, by hand or by the server; shows a toast if there are none. */
export async function channelsOff(): Promise<Channel[]> {
  const lists = await Promise.all(
    [channelStatus.disabled, channelStatus.testDisabled].map((status) => fetchAllChannels({ status })),
  );
  const channels = lists.flat();
  if (channels.length === 0) toast.info(channelTexts()('delete.none'));
  return channels;
}
