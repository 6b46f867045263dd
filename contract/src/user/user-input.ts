import * as z from 'zod/mini';
import { role, userStatus } from '../codes.ts';
import { id, LARGEST_MOVE, quota, text } from '../values.ts';

/**
 * What an account is called to sign in. Without `@`, because sign-in takes an e-mail address in its place, and without
 * blanks and invisible characters, which would let one name pass for another.
 */
export const username = text(12, 3).check(z.regex(/^[^\s@\p{C}\p{DI}\u2800]+$/u, { error: 'user.name' }));

/** Not trimmed: it is used just as it is typed. */
export const password = z.string().check(z.minLength(8), z.maxLength(128));

/** Empty leaves the password as it is. */
const passwordOrNone = z.string().check(
  z.maxLength(128),
  z.refine((value) => value === '' || password.safeParse(value).success, { error: 'user.password' }),
);

const displayName = text(20);

/** An address, or empty for none. */
const emailOrNone = text(50).check(
  z.refine((value) => value === '' || z.email().safeParse(value).success, { error: 'user.email' }),
);

/** A name as it is sent back by a form: one from outside may be longer than those that can be chosen here. */
const knownName = text(255, 1);

export const newUser = z.object({
  username,
  password,
  /** Empty = the user name. */
  display_name: z._default(displayName, ''),
  email: z._default(emailOrNone, ''),
  group: text(50, 1),
  /** Credits to start with; they are posted to the ledger. */
  quota: z._default(quota.check(z.lte(LARGEST_MOVE)), 0),
  /** Each account begins as an enabled one of a plain user; what says otherwise is refused. */
  role: z.optional(z.literal(role.user)),
  status: z.optional(z.literal(userStatus.enabled)),
});

/**
 * What is not sent stays as it is. Role, status and quota have routes of their own: clients that send the whole record
 * back may leave them in, but another role or status is refused. A balance moves meanwhile; it is passed over.
 */
export const userEdit = z.object({
  id,
  username: z.optional(knownName),
  password: z.optional(passwordOrNone),
  display_name: z.optional(displayName),
  email: z.optional(emailOrNone),
  group: z.optional(text(50, 1)),
  role: z.optional(z.int()),
  status: z.optional(z.int()),
});

export const userActions = ['enable', 'disable', 'promote', 'demote', 'delete'] as const;
export type UserAction = (typeof userActions)[number];

/** Whom an action is for: the name, as older clients send it, the id, or both, which must then be of one account. */
export const userManage = z
  .object({ id: z.optional(id), username: z.optional(knownName), action: z.enum(userActions) })
  .check(
    z.refine(({ id: byId, username: byName }) => byId !== undefined || byName !== undefined, {
      error: 'user.which',
      path: ['username'],
    }),
  );

/** A new password needs the current one, where there is one. */
export const selfEdit = z.object({
  username: z.optional(knownName),
  display_name: z.optional(displayName),
  password: z.optional(passwordOrNone),
  current_password: z.optional(z.string().check(z.maxLength(255))),
  /** Along with a new password: whether the own API keys are switched off too. They are, unless this is `false`. */
  disable_tokens: z.optional(z.boolean()),
});
