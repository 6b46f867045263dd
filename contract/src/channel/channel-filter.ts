import * as z from 'zod/mini';
import { numberFilter, textFilter } from '../list.ts';

/** Filters of lists and bulk changes of channels. */
export const channelFilters = {
  /** In name, model list, tag or address. */
  keyword: textFilter,
  name: textFilter,
  models: textFilter,
  group: textFilter,
  tag: textFilter,
  type: numberFilter,
  status: numberFilter,
  /** Matched by prefix. */
  other: textFilter,
  test_model: textFilter,
  /** A complete key, or the last four characters of a long one. */
  key: z._default(z.string().check(z.trim(), z.maxLength(60_000)), ''),
  /** `1` or `true`: only channels without a tag; `2`: only those with one. */
  filter_tag: z._default(z.enum(['', '0', '1', '2', 'false', 'true']), ''),
  /** 1: only channels in trouble, other than disabled manually. */
  trouble: numberFilter,
};

const filters = z.object(channelFilters);
export type ChannelFilters = z.output<typeof filters>;
