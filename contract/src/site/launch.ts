import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';

/** Checks of an operator before others use the site, in order. */
export const launchItems = [
  'address',
  'tls',
  'mail',
  'backup',
  'gift',
  'prices',
  'fees',
  'gateway',
  'alerts',
  'store',
] as const;
export type LaunchItem = (typeof launchItems)[number];

const launchItem = z.object({
  id: z.enum(launchItems),
  /** `skipped`: an operator said that it is not needed. */
  state: z.enum(['done', 'open', 'skipped']),
  /** For `prices`, the number of models without a price; for `fees`, that of prices with a gap; otherwise 0. */
  count: z.int(),
});

export const launchList = z.object({
  items: z.array(launchItem),
  /** The list was hidden for good. */
  dismissed: z.boolean(),
});
export type LaunchList = z.infer<typeof launchList>;

export const launchSchemas = {
  get: {
    audience: 'root',
    summary: 'Get the checklist for opening the site to others, with the present state of each item',
    reply: launchList,
  },
  update: {
    audience: 'root',
    summary: 'Mark an item of the checklist as not needed, or undo that, or hide the whole list',
    body: z.object({
      item: z.optional(z.enum(launchItems)),
      skipped: z.optional(z.boolean()),
      dismissed: z.optional(z.boolean()),
    }),
    reply: launchList,
  },
} as const satisfies SchemasByEndpoint;
