import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { sessionUser } from '../user/user.ts';
import { id, idParam, seconds, text } from '../values.ts';

/** A passkey of a device or a password manager. */
export const passkey = z.object({
  id,
  name: z.string(),
  created_time: seconds,
  /** 0 = never. */
  used_time: seconds,
  /** Whether it is synced between devices. */
  synced: z.boolean(),
  /** Host it is valid for. */
  host: z.string(),
});
export type Passkey = z.infer<typeof passkey>;

const base64url = (max: number) => z.string().check(z.minLength(1), z.maxLength(max), z.regex(/^[\w-]+$/));
const transports = z.array(z.string());
const descriptor = z.object({ id: z.string(), type: z.string(), transports: z.optional(transports) });
const wish = z.enum(['required', 'preferred', 'discouraged']);

/** WebAuthn options to create a passkey. */
const creationOptions = z.object({
  rp: z.object({ name: z.string(), id: z.optional(z.string()) }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ alg: z.int(), type: z.literal('public-key') })),
  timeout: z.optional(z.int()),
  excludeCredentials: z.optional(z.array(descriptor)),
  authenticatorSelection: z.optional(
    z.object({
      residentKey: z.optional(wish),
      requireResidentKey: z.optional(z.boolean()),
      userVerification: z.optional(wish),
    }),
  ),
  attestation: z.optional(z.enum(['none', 'indirect', 'direct', 'enterprise'])),
});

/** WebAuthn options to sign in with a passkey. */
export const requestOptions = z.object({
  challenge: z.string(),
  timeout: z.optional(z.int()),
  rpId: z.optional(z.string()),
  allowCredentials: z.optional(z.array(descriptor)),
  userVerification: z.optional(wish),
});

const answer = {
  id: base64url(2000),
  rawId: base64url(2000),
  type: z.literal('public-key'),
  authenticatorAttachment: z.optional(z.enum(['platform', 'cross-platform'])),
  clientExtensionResults: z.object({}),
};

/** WebAuthn reply with a new passkey. */
export const newPasskey = z.object({
  name: text(50, 1),
  made: z.object({
    ...answer,
    response: z.object({
      clientDataJSON: base64url(10_000),
      attestationObject: base64url(100_000),
      transports: z.optional(z.array(z.string().check(z.maxLength(50))).check(z.maxLength(10))),
    }),
  }),
});

/** WebAuthn reply of a sign-in. */
export const passkeyAnswer = z.object({
  ...answer,
  response: z.object({
    clientDataJSON: base64url(10_000),
    authenticatorData: base64url(10_000),
    signature: base64url(10_000),
    userHandle: z.optional(base64url(200)),
  }),
});

const withId = z.object({ id: idParam });

export const passkeySchemas = {
  list: {
    audience: 'user',
    summary: 'List your passkeys',
    reply: z.array(passkey),
  },
  begin: {
    audience: 'user',
    summary: 'WebAuthn options to create a passkey; requires recent authentication',
    reply: creationOptions,
  },
  add: {
    audience: 'user',
    summary: 'Add a passkey created by the browser; requires recent authentication',
    body: newPasskey,
    reply: passkey,
  },
  rename: {
    audience: 'user',
    summary: 'Rename one of your passkeys',
    params: withId,
    body: z.object({ name: text(50, 1) }),
  },
  remove: {
    audience: 'user',
    summary: 'Remove one of your passkeys; requires recent authentication',
    params: withId,
  },
  beginSignIn: {
    audience: 'public',
    summary: 'WebAuthn options to sign in with a passkey',
    reply: requestOptions,
  },
  signIn: {
    audience: 'public',
    summary: 'Sign in with a passkey, without a second factor',
    body: passkeyAnswer,
    reply: sessionUser,
  },
} as const satisfies SchemasByEndpoint;
