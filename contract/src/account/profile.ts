import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { knownName, selfEdit } from '../user/user-input.ts';
import { closingFacts, disabledTokens, self } from '../user/user.ts';
import { quota, seconds } from '../values.ts';

/** A signed-in browser or program. */
export const ownSession = z.object({
  id: z.string(),
  created_time: seconds,
  /** Last use, within some minutes. */
  seen_time: seconds,
  ip: z.string(),
  user_agent: z.string(),
  /** The session of this request. */
  current: z.boolean(),
});
export type OwnSession = z.infer<typeof ownSession>;

/** `family`: in family mode it acts without proofs of identity, like in the product family. */
export const accessTokenScopes = ['', 'family'] as const;
export type AccessTokenScope = (typeof accessTokenScopes)[number];

/** Security state and reminder of an account, without secrets. */
export const ownSecurity = z.object({
  has_password: z.boolean(),
  /** Last change; 0 = never. */
  password_time: seconds,
  /** Number of enabled tokens. */
  enabled_tokens: z.int(),
  /** Credits below which a reminder is mailed; null: the site's threshold, 0: never. */
  remind_quota: z.nullable(quota),
  /** Whether a mail warns of token limits that are nearly used up. */
  limit_mails: z.boolean(),
  announcement_mails: z.boolean(),
  /** Days before the expiry of a token that a mail reminds of it; 0: never. */
  expiry_mail_days: z.int(),
  /** The site's threshold; 0: never. */
  site_remind_quota: quota,
  /** Whether the site serves clients of the product family. */
  family_mode: z.boolean(),
  /** Access token of the management API; null if none. */
  access_token: z.nullable(
    z.object({
      hint: z.string(),
      created_time: seconds,
      /** Last use, within some minutes; 0 = never. */
      used_time: seconds,
      scope: z.enum(accessTokenScopes),
    }),
  ),
});
export type OwnSecurity = z.infer<typeof ownSecurity>;

const ended = z.object({ ended: z.int() });

export const profileSchemas = {
  update: {
    audience: 'user',
    summary:
      'Update your name, display name, password or the threshold of balance reminders. A new password requires the current one, ends all other sessions and the access token, and disables your tokens unless `disable_tokens` is false',
    body: selfEdit,
    reply: z.extend(self, disabledTokens),
  },
  security: {
    audience: 'user',
    summary: 'Security state of your account',
    reply: ownSecurity,
  },
  sessions: {
    audience: 'user',
    summary: 'List your sessions, last used first',
    reply: z.array(ownSession),
  },
  endSession: {
    audience: 'user',
    summary: 'End one of your sessions',
    params: z.object({ id: z.string().check(z.regex(/^[\w-]{1,64}$/)) }),
  },
  endOtherSessions: {
    audience: 'user',
    summary: 'End all your other sessions',
    reply: ended,
  },
  makeAccessToken: {
    audience: 'user',
    summary: 'Create an access token for the management API, shown only once; revokes the previous one',
    reply: z.string(),
  },
  makeAccessTokenByGet: {
    audience: 'user',
    summary: 'Create an access token; a GET for older clients',
    changes: true,
    reply: z.string(),
  },
  removeAccessToken: {
    audience: 'user',
    summary: 'Revoke your access token',
  },
  setAccessTokenScope: {
    audience: 'user',
    summary:
      'Give your access token the scope `family`, which needs family mode and a proof of identity, or take it away with an empty one',
    body: z.object({ scope: z.enum(accessTokenScopes) }),
    reply: ownSecurity,
  },
  webhookSecret: {
    audience: 'user',
    summary: 'Get the secret that signs the notifications of your tasks (Standard Webhooks)',
    reply: z.object({ secret: z.string() }),
  },
  closing: {
    audience: 'user',
    summary: 'What your account has that closing it does not settle',
    reply: closingFacts,
  },
  close: {
    audience: 'user',
    summary:
      'Close your account, with your user name as confirmation and a recent proof of identity: sessions and tokens end, name and address become free; log, ledger and balance are kept. Administrators can restore it',
    body: z.object({ username: knownName }),
    reply: closingFacts,
  },
} as const satisfies SchemasByEndpoint;
