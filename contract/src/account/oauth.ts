import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { sessionUser } from '../user/user.ts';
import { idParam, seconds, text } from '../values.ts';

/** Where people can be known from. All but Telegram are ways to sign in. */
export const identityProviders = ['github', 'oidc', 'lark', 'wechat', 'telegram'] as const;
export type IdentityProvider = (typeof identityProviders)[number];

/** An account elsewhere that is bound to the own one. */
export const ownIdentity = z.object({
  provider: z.enum(identityProviders),
  /** As its owner knows it. */
  name: z.string(),
  created_time: seconds,
  /** The last sign-in with it; 0 = none yet. */
  used_time: seconds,
  /** No other way in is left without it, so it cannot be unbound. */
  last_way_in: z.boolean(),
});
export type OwnIdentity = z.infer<typeof ownIdentity>;

/** What the own account is bound to by its bot: sent to it, the code binds. */
export const telegramCode = z.object({
  code: z.string(),
  /** The bot's user name. */
  bot: z.string(),
  expires_time: seconds,
});
export type TelegramCode = z.infer<typeof telegramCode>;

/** An invitation code as browsers keep it; `null` is what older consoles send for none. */
const aff = z.optional(
  z.pipe(
    text(64),
    z.transform((code: string) => (code === 'null' || code === 'undefined' ? '' : code)),
  ),
);
const code = text(2048, 1);

const fromThere = z.object({ code, state: text(128, 1), aff });

/** The account that signed in; nothing, with the message `bind`, where an account was bound. */
const userOrBound = z.optional(sessionUser);

const callback = <Q extends z.ZodMiniType>(query: Q, title: string) =>
  ({
    audience: 'visitor',
    summary: `Come back from ${title}: signs in, or binds (message \`bind\`) where somebody signed in began it`,
    changes: true,
    query,
    reply: userOrBound,
  }) as const;

export const oauthSchemas = {
  state: {
    audience: 'visitor',
    summary: 'Begin to sign in with GitHub or Lark, or to bind it: a text that this browser comes back with, once',
    changes: true,
    query: z.object({ provider: z.optional(z.enum(['github', 'lark'])) }),
    reply: z.string(),
  },
  endpoint: {
    audience: 'visitor',
    summary: 'Begin to sign in through OpenID Connect, or to bind it: the address to go to',
    changes: true,
    reply: z.string(),
  },
  github: callback(fromThere, 'GitHub'),
  lark: callback(fromThere, 'Lark'),
  oidc: callback(z.extend(fromThere, { iss: z.optional(text(500)) }), 'the identity provider'),
  wechat: {
    audience: 'public',
    summary: 'Sign in with the code that the public account on WeChat answered',
    changes: true,
    query: z.object({ code: text(64, 1), aff }),
    reply: sessionUser,
  },
  wechatBind: {
    audience: 'user',
    summary: 'Bind the WeChat account to which the code was answered',
    changes: true,
    query: z.object({ code: text(64, 1) }),
  },
  telegramCode: {
    audience: 'user',
    summary: 'A code that binds the Telegram account from which it is sent to the bot; valid for 3 minutes, once',
    reply: telegramCode,
  },
  identities: {
    audience: 'user',
    summary: 'The accounts elsewhere that are bound to the own one',
    reply: z.array(ownIdentity),
  },
  unbind: {
    audience: 'user',
    summary: 'Unbind an account elsewhere; refused for the last way to sign in',
    params: z.object({ provider: z.enum(identityProviders) }),
  },
  unbindOf: {
    audience: 'admin',
    summary: 'Unbind an account elsewhere from that of somebody of a lower role, be it the last way to sign in',
    params: z.object({ id: idParam, provider: z.enum(identityProviders) }),
  },
} as const satisfies SchemasByEndpoint;
