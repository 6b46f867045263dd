import * as z from 'zod/mini';
import { role, userStatus } from '../codes.ts';
import { id, LARGEST_MOVE, quota, text } from '../values.ts';

/** User name. Without `@`, since sign-in also accepts e-mail addresses, and without spaces and invisible characters. */
export const username = text(64, 3).check(z.regex(/^[^\s@\p{C}\p{DI}\u2800]+$/u, { error: 'user.name' }));

/** Not trimmed. */
export const password = z.string().check(z.minLength(8), z.maxLength(128));

/** Empty keeps the password. */
const passwordOrNone = z.string().check(
  z.maxLength(128),
  z.refine((value) => value === '' || password.safeParse(value).success, { error: 'user.password' }),
);

const displayName = text(20);

/** An address, or empty for none. */
const emailOrNone = text(50).check(
  z.refine((value) => value === '' || z.email().safeParse(value).success, { error: 'user.email' }),
);

/** An existing name; names from identity providers can be longer than new ones. */
export const knownName = text(255, 1);

export const newUser = z.object({
  username,
  password,
  /** Empty = the user name. */
  display_name: z._default(displayName, ''),
  email: z._default(emailOrNone, ''),
  group: z._default(text(50, 1), 'default'),
  /** Of the account in billing systems; empty: its id. */
  customer_id: z._default(text(100), ''),
  /** Initial credits, posted to the ledger. */
  quota: z._default(quota.check(z.lte(LARGEST_MOVE)), 0),
  /** New accounts are enabled plain users; other values are refused. */
  role: z.optional(z.literal(role.user)),
  status: z.optional(z.literal(userStatus.enabled)),
});

/**
 * Absent fields are kept. Role and status have other endpoints: clients may send them back unchanged, but a different
 * value is refused. A quota sent back is ignored.
 */
export const userEdit = z.object({
  id,
  username: z.optional(knownName),
  password: z.optional(passwordOrNone),
  display_name: z.optional(displayName),
  email: z.optional(emailOrNone),
  group: z.optional(text(50, 1)),
  customer_id: z.optional(text(100)),
  /** Whether a new password also disables all tokens of the account; default false. */
  disable_tokens: z.optional(z.boolean()),
  role: z.optional(z.int()),
  status: z.optional(z.int()),
});

/** If another account has the name or the address now, a restored account needs another one. */
export const userRestore = z.object({ username: z.optional(username), email: z.optional(z.literal('')) });

export const userActions = ['enable', 'disable', 'promote', 'demote', 'delete'] as const;
export type UserAction = (typeof userActions)[number];

/** Target of an action: id, or name for older clients; both must match. */
export const userManage = z
  .object({ id: z.optional(id), username: z.optional(knownName), action: z.enum(userActions) })
  .check(
    z.refine(({ id: byId, username: byName }) => byId !== undefined || byName !== undefined, {
      error: 'user.which',
      path: ['username'],
    }),
  );

/** A new password requires the current one, if there is one. */
export const selfEdit = z.object({
  username: z.optional(knownName),
  display_name: z.optional(displayName),
  password: z.optional(passwordOrNone),
  current_password: z.optional(z.string().check(z.maxLength(255))),
  /** Whether a new password disables all tokens; default true. */
  disable_tokens: z.optional(z.boolean()),
  /** Credits below which a reminder is mailed; null: the site's threshold, 0: never. */
  remind_quota: z.optional(z.nullable(quota.check(z.lte(1_000_000_000_000)))),
  /** Whether a mail warns of token limits that are nearly used up. */
  limit_mails: z.optional(z.boolean()),
  /** Mails of announcements. */
  announcement_mails: z.optional(z.boolean()),
  /** Days before the expiry of a token that a mail reminds of it; 0: never. */
  expiry_mail_days: z.optional(z.int().check(z.gte(0), z.lte(90))),
});
