import { channelApi, channelStatus, type Channel } from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { call } from '#api/call.ts';
import { oneByOne } from '#shared/one-by-one.ts';
import { toast } from '#shared/toast.ts';
import { patchChannel, refreshChannels } from './channel-api.ts';
import { channelWords } from './channel-words.ts';

type Settable = typeof channelStatus.enabled | typeof channelStatus.disabled;

/** Switches channels on or off, one after another, and offers to take it back. */
export async function switchChannels(
  client: QueryClient,
  channels: readonly Channel[],
  status: Settable,
): Promise<void> {
  const t = channelWords();
  const changed = channels.filter((channel) => channel.status !== status);
  const on = status === channelStatus.enabled;
  const { done, failed } = await oneByOne(t(on ? 'enable.many' : 'disable.many'), changed, (channel) =>
    put(client, channel, status),
  );
  void refreshChannels(client);
  tellFailures(failed.map(({ item, error }) => `${item.name}: ${error.message}`));
  if (done.length === 0) return;
  const one = done.length === 1;
  const said = t(on ? (one ? 'enable.done' : 'enable.doneMany') : one ? 'disable.done' : 'disable.doneMany', {
    count: done.length,
    name: done[0]?.name,
  });
  toast.undo(said, {
    label: i18next.t('undo', { ns: 'shared' }),
    onClick: () => void takeBack(client, done),
  });
}

async function takeBack(client: QueryClient, channels: readonly Channel[]): Promise<void> {
  const { failed } = await oneByOne(channelWords()('takeBack'), channels, (channel) =>
    // What the server switched off can only be switched off by hand again.
    put(client, channel, channel.status === channelStatus.enabled ? channelStatus.enabled : channelStatus.disabled),
  );
  void refreshChannels(client);
  tellFailures(failed.map(({ item, error }) => `${item.name}: ${error.message}`));
}

async function put(client: QueryClient, { id }: Channel, status: Settable): Promise<void> {
  const updated = await call(channelApi.update, { body: { id, status } });
  patchChannel(client, id, updated);
}

/** Deletes channels one after another; logs and charges stay. Resolves with those that are gone. */
export async function deleteChannels(client: QueryClient, channels: readonly Channel[]): Promise<Channel[]> {
  const t = channelWords();
  const { done, failed } = await oneByOne(t('delete.many'), channels, ({ id }) =>
    call(channelApi.remove, { params: { id } }),
  );
  void refreshChannels(client);
  tellFailures(failed.map(({ item, error }) => `${item.name}: ${error.message}`));
  if (done.length > 0)
    toast.success(
      t(done.length === 1 ? 'delete.done' : 'delete.doneMany', { count: done.length, name: done[0]?.name }),
    );
  return done;
}

function tellFailures(lines: string[]): void {
  const [first] = lines;
  if (first !== undefined)
    toast.error(channelWords()('notDone', { count: lines.length }), { detail: lines.slice(0, 3).join('\n') });
}
