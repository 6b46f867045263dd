import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { selfEdit } from '../user/user-input.ts';
import { disabledTokens, self } from '../user/user.ts';
import { seconds } from '../values.ts';

/** A browser or program that is signed in. */
export const ownSession = z.object({
  id: z.string(),
  created_time: seconds,
  /** Last use, to within some minutes. */
  seen_time: seconds,
  ip: z.string(),
  user_agent: z.string(),
  /** The one that asks. */
  current: z.boolean(),
});
export type OwnSession = z.infer<typeof ownSession>;

/** How the own account is guarded; secrets are not told. */
export const ownSecurity = z.object({
  has_password: z.boolean(),
  /** When it was last changed; 0 = not since the account was made. */
  password_time: seconds,
  /** Own API keys that are switched on. */
  enabled_tokens: z.int(),
  /** The token that programs call the management API with; null while there is none. */
  access_token: z.nullable(
    z.object({
      hint: z.string(),
      created_time: seconds,
      /** Last use, to within some minutes; 0 = never. */
      used_time: seconds,
    }),
  ),
});
export type OwnSecurity = z.infer<typeof ownSecurity>;

const ended = z.object({ ended: z.int() });

export const profileSchemas = {
  update: {
    audience: 'user',
    summary:
      'Change the own name, display name or password. A new password needs the current one, ends all other sessions and the access token, and switches the own API keys off unless `disable_tokens` is false',
    body: selfEdit,
    reply: z.extend(self, disabledTokens),
  },
  security: {
    audience: 'user',
    summary: 'How the own account is guarded',
    reply: ownSecurity,
  },
  sessions: {
    audience: 'user',
    summary: 'Where the own account is signed in, last used first',
    reply: z.array(ownSession),
  },
  endSession: {
    audience: 'user',
    summary: 'End one of the own sessions',
    params: z.object({ id: z.string().check(z.regex(/^[\w-]{1,64}$/)) }),
  },
  endOtherSessions: {
    audience: 'user',
    summary: 'End all of the own sessions but the one that asks',
    reply: ended,
  },
  makeAccessToken: {
    audience: 'user',
    summary: 'A new access token for the management API, told this once; the one before stops at once',
    reply: z.string(),
  },
  makeAccessTokenByGet: {
    audience: 'user',
    summary: 'The same, as older clients ask for it',
    changes: true,
    reply: z.string(),
  },
  removeAccessToken: {
    audience: 'user',
    summary: 'Take the own access token back; it stops at once',
  },
} as const satisfies SchemasByEndpoint;
