import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { id, seconds } from '../values.ts';

/**
 * `channelOff` to `usage`: automatic changes of channels and keys, and implausible usage. `order`: an order needs
 * attention. `backupFailed`. `refusals`: a token is refused very often. These are for administrators; the others are a
 * user's own: a low balance, a limit nearly used up, a token that expires soon, a plan that renews soon.
 */
export const notificationKinds = [
  'channelOff',
  'channelOn',
  'keyOff',
  'keyOn',
  'usage',
  'order',
  'backupFailed',
  'refusals',
  'balanceLow',
  'limitNear',
  'tokenExpires',
  'planRenews',
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

export const notificationSeverities = ['info', 'warning', 'error'] as const;

export const notification = z.object({
  id: z.int(),
  kind: z.enum(notificationKinds),
  severity: z.enum(notificationSeverities),
  /** Id of the channel, order, backup, token or plan that it is about; 0: none. */
  object_id: z.int(),
  /** Facts for its text: names, reasons, amounts. */
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  /** Of the last time. */
  time: seconds,
  /** How often it happened within the hour. */
  count: z.int(),
  read: z.boolean(),
});
export type Notification = z.infer<typeof notification>;

/** Notifications that a reader has; older ones are deleted. */
export const MOST_NOTIFICATIONS = 100;

export const notificationSchemas = {
  list: {
    audience: 'user',
    summary: 'Your notifications, newest first; administrators also get those of the site',
    reply: z.object({ data: z.array(notification), unread: z.int() }),
  },
  read: {
    audience: 'user',
    summary: 'Mark notifications as read, or all of them without ids; returns the number left unread',
    body: z.object({ ids: z.optional(z.array(id).check(z.minLength(1), z.maxLength(MOST_NOTIFICATIONS))) }),
    reply: z.object({ unread: z.int() }),
  },
} as const satisfies SchemasByEndpoint;
