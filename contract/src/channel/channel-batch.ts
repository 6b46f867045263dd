import * as z from 'zod/mini';
import { channelFilters } from './channel-filter.ts';
import { groupList } from './channel-input.ts';
import { channelLimits } from './channel-limits.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { id, modelList, text } from '../values.ts';
import { batchSkipReasons } from './codes.ts';

const ids = z.array(id).check(z.minLength(1), z.maxLength(20_000));

/**
 * Selection of channels: by ids, or by filter. `count` is the number the client expects; if it differs, nothing is
 * changed.
 */
export const channelScope = z.union([
  z.strictObject({ ids }),
  z.strictObject({ filter: z.strictObject(channelFilters), count: z._default(z.int().check(z.gte(0)), 0) }),
]);
export type ChannelScope = z.output<typeof channelScope>;

/** Replaces a list, or adds or removes the entries of `value`. */
const listChange = (value: typeof modelList) => z.strictObject({ how: z.enum(['replace', 'add', 'remove']), value });

const edit = z.strictObject({
  verb: z.literal('edit'),
  group: z.optional(listChange(groupList)),
  models: z.optional(listChange(modelList)),
  tag: z.optional(text(32)),
  priority: z.optional(z.int().check(z.gte(0), z.lte(1_000_000))),
  weight: z.optional(z.int().check(z.gte(1), z.lte(1_000_000))),
  test_model: z.optional(text(100)),
  /** Null: none. */
  limits: z.optional(z.nullable(channelLimits)),
  /** API version, for Azure channels only. */
  api_version: z.optional(text(500, 1)),
});

/** The action of a bulk change. */
export const channelChange = z.discriminatedUnion('verb', [
  z.strictObject({ verb: z.literal('enable') }),
  z.strictObject({ verb: z.literal('disable') }),
  z.strictObject({ verb: z.literal('delete') }),
  edit,
]);
export type ChannelChange = z.output<typeof channelChange>;
export type ChannelBulkEdit = z.output<typeof edit>;

const previewed = z.object({
  id,
  name: z.string(),
  changes: z.array(z.object({ field: z.string(), before: z.string(), after: z.string() })),
});

/** Preview of a bulk change; long lists are truncated. */
export const channelPreview = z.object({
  /** Numbers of matching, changing and skipped channels. */
  count: z.int(),
  changed: z.int(),
  skipped: z.int(),
  rows: z.array(previewed),
  skips: z.array(z.object({ id, name: z.string(), reason: z.enum(batchSkipReasons) })),
});
export type ChannelPreview = z.infer<typeof channelPreview>;

/** Result of a bulk change. */
export const channelChanged = z.object({
  count: z.int(),
  changed: z.int(),
  skipped: z.int(),
  /** Id to undo the change within some minutes; empty if nothing changed. */
  undo: z.string(),
});
export type ChannelChanged = z.infer<typeof channelChanged>;

const legacy = z.object({ ids, value: text(500, 1) });

export const channelBatchSchemas = {
  preview: {
    audience: 'admin',
    summary: 'Preview a bulk change of channels',
    body: z.object({ scope: channelScope, change: channelChange }),
    reply: channelPreview,
  },
  apply: {
    audience: 'admin',
    summary: 'Update several channels, all or none',
    body: z.object({ scope: channelScope, change: channelChange }),
    reply: channelChanged,
  },
  undo: {
    audience: 'admin',
    summary: 'Undo a bulk change; channels changed again since then are kept',
    body: z.object({ undo: text(100, 1) }),
    reply: z.object({ restored: z.int(), kept: z.int() }),
  },
  remove: {
    audience: 'admin',
    summary: 'Delete channels; returns the number deleted',
    body: z.object({ ids }),
    reply: z.int(),
  },
  replaceApiVersion: {
    audience: 'admin',
    summary: 'Replace the API version of Azure channels; returns the number of channels',
    body: legacy,
    reply: z.int(),
  },
  removeModel: {
    audience: 'admin',
    summary: 'Remove a model from channels that have other models; returns the number of channels',
    body: legacy,
    reply: z.int(),
  },
  removeDisabled: {
    audience: 'admin',
    summary: 'Delete all disabled channels, disabled manually or by the server; returns the number deleted',
    reply: z.int(),
  },
} as const satisfies SchemasByEndpoint;
