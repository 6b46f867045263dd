import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { sessionUser } from '../user/user.ts';
import { idParam, seconds, text } from '../values.ts';

/** Identity providers; all but Telegram can sign in. */
export const identityProviders = ['github', 'oidc', 'lark', 'wechat', 'telegram'] as const;
export type IdentityProvider = (typeof identityProviders)[number];

/** A connected account. */
export const ownIdentity = z.object({
  provider: z.enum(identityProviders),
  /** Name of the account at the provider. */
  name: z.string(),
  created_time: seconds,
  /** The last sign-in with it; 0 = none yet. */
  used_time: seconds,
  /** The only way to sign in, so it cannot be disconnected. */
  last_way_in: z.boolean(),
});
export type OwnIdentity = z.infer<typeof ownIdentity>;

/** A code that connects the Telegram account that sends it to the bot. */
export const telegramCode = z.object({
  code: z.string(),
  /** The bot's user name. */
  bot: z.string(),
  expires_time: seconds,
});
export type TelegramCode = z.infer<typeof telegramCode>;

/** Invitation code stored by the browser; older consoles send `null` for none. */
const aff = z.optional(
  z.pipe(
    text(64),
    z.transform((code: string) => (code === 'null' || code === 'undefined' ? '' : code)),
  ),
);
const code = text(2048, 1);

const fromThere = z.object({ code, state: text(128, 1), aff });

/** The signed-in account; absent, with the message `bind`, if an account was connected. */
const userOrBound = z.optional(sessionUser);

const callback = <Q extends z.ZodMiniType>(query: Q, title: string) =>
  ({
    audience: 'visitor',
    summary: `Callback of ${title}: signs in, or connects the account (message \`bind\`) if a signed-in user started it`,
    changes: true,
    query,
    reply: userOrBound,
  }) as const;

export const oauthSchemas = {
  state: {
    audience: 'visitor',
    summary:
      'Start signing in with GitHub or Lark, or connecting an account: returns a single-use `state` for this browser',
    changes: true,
    query: z.object({ provider: z.optional(z.enum(['github', 'lark'])) }),
    reply: z.string(),
  },
  endpoint: {
    audience: 'visitor',
    summary: 'Start signing in with OpenID Connect, or connecting an account: returns the authorization URL',
    changes: true,
    reply: z.string(),
  },
  github: callback(fromThere, 'GitHub'),
  lark: callback(fromThere, 'Lark'),
  oidc: callback(z.extend(fromThere, { iss: z.optional(text(500)) }), 'the identity provider'),
  wechat: {
    audience: 'public',
    summary: 'Sign in with a code from the WeChat official account',
    changes: true,
    query: z.object({ code: text(64, 1), aff }),
    reply: sessionUser,
  },
  wechatBind: {
    audience: 'user',
    summary: 'Connect a WeChat account with its code',
    changes: true,
    query: z.object({ code: text(64, 1) }),
  },
  telegramCode: {
    audience: 'user',
    summary:
      'Create a single-use code, valid for 3 minutes, that connects the Telegram account which sends it to the bot',
    reply: telegramCode,
  },
  identities: {
    audience: 'user',
    summary: 'List your connected accounts',
    reply: z.array(ownIdentity),
  },
  unbind: {
    audience: 'user',
    summary: 'Disconnect an account; refused for the last way to sign in',
    params: z.object({ provider: z.enum(identityProviders) }),
  },
  unbindByType: {
    audience: 'user',
    summary: 'Disconnect an account; the address of older clients',
    body: z.object({ type: z.enum(identityProviders) }),
  },
  unbindOf: {
    audience: 'admin',
    summary: 'Disconnect an account from a user of a lower role, even the last way to sign in',
    params: z.object({ id: idParam, provider: z.enum(identityProviders) }),
  },
} as const satisfies SchemasByEndpoint;
