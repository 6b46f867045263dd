import {
  channelApi,
  channelBatchApi,
  channelKeyApi,
  channelTagApi,
  priceApi,
  routeApi,
  splitList,
} from '@relay-hub/contract';
import { keepPreviousData } from '@tanstack/react-query';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { callApis, type ChannelSearch } from './channel-api.ts';

export const tagPage = ({ page, size, tags, keyword }: ChannelSearch) => ({
  ...apiQuery(channelTagApi.list, { query: { page, size, order: tags, keyword } }),
  placeholderData: keepPreviousData,
  meta: { quiet: true },
});

export const modelPrices = { ...apiQuery(priceApi.list), staleTime: 60_000 };

/** The keys of a channel. Quiet: the form shows the error. */
export const channelKeys = (id: number) => ({
  ...apiQuery(channelKeyApi.list, { params: { id } }),
  meta: { quiet: true },
});

/** The channel that a call would use now; recent failures influence it. */
export const routeOf = (
  { why_model, why_group, why_needs, why_session, why_token, why_api, why_tokens }: ChannelSearch,
  body: string,
  step: number,
) => ({
  ...apiQuery(routeApi.explain, {
    body: {
      model: why_model,
      group: why_group,
      token_id: why_token,
      session: why_session,
      prompt_tokens: why_tokens,
      step,
      api: callApis.find((each) => each === why_api) ?? 'chat',
      body,
      ...Object.fromEntries(splitList(why_needs).map((need) => [need, true])),
    },
  }),
  enabled: why_model !== '',
  placeholderData: keepPreviousData,
  meta: { quiet: true },
});

/** The common values that a tag's form starts from. */
export const tagRecord = (tag: string) => ({
  ...apiQuery(channelTagApi.get, { params: { tag } }),
  meta: { quiet: true },
});

/** One channel. Quiet: the form shows the error. */
export const channelRecord = (id: number) => ({
  ...apiQuery(channelApi.get, { params: { id } }),
  meta: { quiet: true },
});

/** Reverts a change; returns how many channels were restored, and how many had changed again. */
export const undoChange = (undo: string) => call(channelBatchApi.undo, { body: { undo } });
