import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { passkeyAnswer, requestOptions } from './passkey.ts';
import { sessionUser } from '../user/user.ts';
import { idParam, seconds } from '../values.ts';

/** Six digits; apps may show them with a space. */
const digits = z.string().check(
  z.overwrite((code) => code.replace(/\s/g, '')),
  z.regex(/^\d{6}$/, { error: 'totp.code' }),
);

/** An authenticator code or a recovery code. */
const anyCode = z.string().check(
  z.maxLength(40),
  z.overwrite((code) => code.replace(/[\s-]/g, '').toLowerCase()),
  z.regex(/^(\d{6}|[a-z2-9]{16})$/, { error: 'totp.any_code' }),
);

export const twoStep = z.object({
  enabled: z.boolean(),
  enabled_time: seconds,
  /** Unused recovery codes. */
  recovery_left: z.int(),
});
export type TwoStep = z.infer<typeof twoStep>;

const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) });

export const totpSchemas = {
  get: {
    audience: 'user',
    summary: 'Get the state of your two-step verification',
    reply: twoStep,
  },
  begin: {
    audience: 'user',
    summary: 'Create a secret for an authenticator app, active after its first code; requires recent authentication',
    reply: z.object({ secret: z.string(), uri: z.string() }),
  },
  enable: {
    audience: 'user',
    summary: 'Turn on two-step verification with the first authenticator code; recovery codes are shown only once',
    body: z.object({ code: digits }),
    reply: recoveryCodes,
  },
  renew: {
    audience: 'user',
    summary: 'Replace all recovery codes; requires recent authentication',
    reply: recoveryCodes,
  },
  disable: {
    audience: 'user',
    summary: 'Turn off two-step verification; requires recent authentication',
  },
  reset: {
    audience: 'admin',
    summary: 'Remove two-step verification and passkeys from an account of a lower role, and end its sessions',
    params: z.object({ id: idParam }),
    reply: z.object({ totp: z.boolean(), passkeys: z.int(), ended: z.int() }),
  },
} as const satisfies SchemasByEndpoint;

export const secondStepSchemas = {
  get: {
    audience: 'public',
    summary: 'The pending second step of this browser: expiry, tries left and alternatives',
    reply: z.object({ expires_time: seconds, tries_left: z.int(), passkey: z.boolean() }),
  },
  take: {
    audience: 'public',
    summary: 'Complete the sign-in with an authenticator or recovery code',
    body: z.object({ code: anyCode }),
    reply: sessionUser,
  },
} as const satisfies SchemasByEndpoint;

export const proofSchemas = {
  get: {
    audience: 'user',
    summary: 'Available ways to re-authenticate, and until when you are re-authenticated',
    reply: z.object({ password: z.boolean(), totp: z.boolean(), passkey: z.boolean(), proved_until: seconds }),
  },
  prove: {
    audience: 'user',
    summary: 'Re-authenticate with the password or an authenticator code',
    body: z
      .object({
        password: z.optional(z.string().check(z.minLength(1), z.maxLength(255))),
        code: z.optional(digits),
      })
      .check(
        z.refine(({ password, code }) => (password === undefined) !== (code === undefined), { error: 'proof.one' }),
      ),
  },
  beginPasskey: {
    audience: 'user',
    summary: 'WebAuthn options to re-authenticate with a passkey',
    reply: requestOptions,
  },
  byPasskey: {
    audience: 'user',
    summary: 'Re-authenticate with a passkey',
    body: passkeyAnswer,
  },
} as const satisfies SchemasByEndpoint;
