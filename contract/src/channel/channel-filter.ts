import * as z from 'zod/mini';
import { numberFilter, textFilter } from '../list.ts';

/** What narrows a list of channels, and what names channels for a change. */
export const channelFilters = {
  /** In name, model list, tag or address. */
  keyword: textFilter,
  name: textFilter,
  models: textFilter,
  group: textFilter,
  tag: textFilter,
  type: numberFilter,
  status: numberFilter,
  /** The beginning of these. */
  other: textFilter,
  test_model: textFilter,
  /** A whole key, or the last four characters of one that is long enough to show them. */
  key: z._default(z.string().check(z.trim(), z.maxLength(60_000)), ''),
  /** `1` or `true`: only channels without a tag; `2`: only those with one. */
  filter_tag: z._default(z.enum(['', '0', '1', '2', 'false', 'true']), ''),
  /** 1: only channels with which something is wrong that nobody chose. */
  trouble: numberFilter,
};

const filters = z.object(channelFilters);
export type ChannelFilters = z.output<typeof filters>;
