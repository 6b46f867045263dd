import { channelApi, userApi, type Channel } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { formatSeconds } from '#ui/format/number.ts';
import { toast } from '#ui/feedback/toast.ts';
import { modelsOf } from './models.ts';

/** Sends one minimal request through a channel, shows the result in a toast, and refreshes the lists. */
export function useTestChannel() {
  const { t } = useTranslation('dashboard');
  const client = useQueryClient();
  return useMutation({
    mutationFn: (channel: Channel) =>
      call(channelApi.test, { params: { id: channel.id }, query: { model: testModelOf(channel) } }),
    onSuccess: ({ model, ms }, { name }) =>
      toast.success(t('tested', { name }), { detail: t('testedText', { model, time: formatSeconds(ms) }) }),
    onSettled: () => refresh(client, channelApi.list, channelApi.health, userApi.self),
  });
}

/** The channel's test model, or its first model that is not a wildcard. */
const testModelOf = (channel: Channel): string =>
  channel.test_model || (modelsOf(channel).find((model) => !model.includes('*')) ?? '');
