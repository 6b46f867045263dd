import { channelApi, type Channel } from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import { i18n } from '#i18n/t.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { patchChannel, refreshChannels } from '#screens/panel/channel/channel-cache.ts';

/** Dismisses the warning about implausible usage reported by a channel. */
export async function clearUsageWarning(client: QueryClient, { id }: Channel): Promise<void> {
  const t = i18n.translator('usageCheck');
  try {
    patchChannel(client, id, await call(channelApi.clearUsageWarning, { params: { id } }));
    toast.success(t('cleared'));
  } catch (error) {
    toast.error(t('clearFailed'), { detail: error instanceof Error ? error.message : String(error) });
  }
  void refreshChannels(client);
}
