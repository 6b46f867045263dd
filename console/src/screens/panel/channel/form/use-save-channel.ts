import { channelApi, channelTagApi, type Channel } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import type { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { refreshChannels } from '#screens/panel/channel/channel-cache.ts';
import { channelRecord } from '#screens/panel/channel/channel-more-api.ts';
import { bodyOf, changesOf, tagChangesOf, valuesOf, type ChannelBody, type ChannelValues } from './channel-values.ts';

type Form = UseFormReturn<ChannelValues, unknown, ChannelBody>;

interface Options {
  channel: Channel | undefined;
  /** The channel that a new one is copied from. */
  copied: Channel | undefined;
  start: ChannelValues;
  onRefused: (error: ApiError) => void;
}

/** Creates or updates a channel; later saves compare with the saved state. Undefined when a field was refused. */
export function useSaveChannel(form: Form, { channel, copied, start, onRefused }: Options) {
  const client = useQueryClient();
  // State at opening or at the last save; only differences are sent.
  const base = useRef(start);
  return useMutation({
    mutationFn: (body: ChannelBody) =>
      savedOrRefused(
        form,
        async () => {
          const full = bodyOf(body, copied);
          if (!channel) return call(channelApi.create, { body: full });
          return [await call(channelApi.update, { body: { ...changesOf(full, base.current), id: channel.id } })];
        },
        onRefused,
      ),
    onSuccess: (saved) => {
      const [first] = saved ?? [];
      if (!first) return;
      base.current = valuesOf(first);
      form.reset(base.current);
      client.setQueryData(channelRecord(first.id).queryKey, first);
      void refreshChannels(client);
    },
  });
}

/** Applies the changed fields to all channels of a tag; undefined when a field was refused. */
export function useSaveTag(form: Form, tag: string, { start, onRefused }: Pick<Options, 'start' | 'onRefused'>) {
  return useMutation({
    mutationFn: (body: ChannelBody) =>
      savedOrRefused(
        form,
        () => call(channelTagApi.update, { params: { tag }, body: tagChangesOf(bodyOf(body), start) }),
        onRefused,
      ),
  });
}
