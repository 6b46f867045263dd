import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { passkeyAnswer, requestOptions } from './passkey.ts';
import { sessionUser } from '../user/user.ts';
import { idParam, seconds } from '../values.ts';

/** Six digits, with the blank that apps show in the middle or without. */
const digits = z.string().check(
  z.overwrite((code) => code.replace(/\s/g, '')),
  z.regex(/^\d{6}$/, { error: 'totp.code' }),
);

/** A code of the app, or one of the recovery codes. */
const anyCode = z.string().check(
  z.maxLength(40),
  z.overwrite((code) => code.replace(/[\s-]/g, '').toLowerCase()),
  z.regex(/^(\d{6}|[a-z2-9]{16})$/, { error: 'totp.any_code' }),
);

export const twoStep = z.object({
  enabled: z.boolean(),
  enabled_time: seconds,
  /** Recovery codes that are not used yet. */
  recovery_left: z.int(),
});
export type TwoStep = z.infer<typeof twoStep>;

const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) });

export const totpSchemas = {
  get: {
    audience: 'user',
    summary: 'Whether signing in to the own account takes a second step',
    reply: twoStep,
  },
  begin: {
    audience: 'user',
    summary: 'A new seed for an app; not in force before a code of it has come. Needs a recent proof of who asks',
    reply: z.object({ secret: z.string(), uri: z.string() }),
  },
  enable: {
    audience: 'user',
    summary: 'Switch two-step verification on with the app’s first code; recovery codes are told this once',
    body: z.object({ code: digits }),
    reply: recoveryCodes,
  },
  renew: {
    audience: 'user',
    summary: 'New recovery codes in the place of all there were. Needs a recent proof of who asks',
    reply: recoveryCodes,
  },
  disable: {
    audience: 'user',
    summary: 'Switch two-step verification off. Needs a recent proof of who asks',
  },
  reset: {
    audience: 'admin',
    summary: 'Take two-step verification and passkeys off an account of a lower role, and sign it out everywhere',
    params: z.object({ id: idParam }),
    reply: z.object({ totp: z.boolean(), passkeys: z.int(), ended: z.int() }),
  },
} as const satisfies SchemasByEndpoint;

export const secondStepSchemas = {
  get: {
    audience: 'public',
    summary: 'The step that this browser has still to take: until when, how many tries are left, and other ways',
    reply: z.object({ expires_time: seconds, tries_left: z.int(), passkey: z.boolean() }),
  },
  take: {
    audience: 'public',
    summary: 'Finish signing in with a code of the app or a recovery code',
    body: z.object({ code: anyCode }),
    reply: sessionUser,
  },
} as const satisfies SchemasByEndpoint;

export const proofSchemas = {
  get: {
    audience: 'user',
    summary: 'With what the own account can prove who it is, and until when it has',
    reply: z.object({ password: z.boolean(), totp: z.boolean(), passkey: z.boolean(), proved_until: seconds }),
  },
  prove: {
    audience: 'user',
    summary: 'Prove who one is with the password or with a code of the app',
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
    summary: 'What a browser needs to ask for one of the own passkeys',
    reply: requestOptions,
  },
  byPasskey: {
    audience: 'user',
    summary: 'Prove who one is with a passkey',
    body: passkeyAnswer,
  },
} as const satisfies SchemasByEndpoint;
