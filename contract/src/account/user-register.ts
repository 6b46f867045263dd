import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { mailAddress as email, passwordReset, registration } from './user-register-input.ts';
import { sessionUser } from '../user/user.ts';
import { credits } from '../values.ts';

/** Turnstile token; required if the operator enabled the check. */
const challenge = { turnstile: z.optional(z.string().check(z.maxLength(2048))) };

const code = z.string().check(z.trim(), z.minLength(1), z.maxLength(20));
const ownEmail = z.object({ email, code });

/** Invitations of an account. */
export const invitations = z.object({
  aff_code: z.string(),
  invited: z.int(),
  /** Invited accounts that the inviter was paid for. */
  rewarded: z.int(),
  /** Invited accounts that have neither verified an e-mail address nor topped up yet. */
  waiting: z.int(),
  /** Credits from invitations, including the user's own. */
  earned: credits,
  /** Credits per invitation for the inviter and the invitee. */
  inviter_reward: credits,
  invitee_reward: credits,
  /** Share of each paid top-up of the invitee, in percent, and days until it is paid. */
  share_percent: z.number(),
  share_days: z.int(),
  /** Shares that are not due yet. */
  share_waiting: credits,
});
export type Invitations = z.infer<typeof invitations>;

export const registerSchemas = {
  sendCode: {
    audience: 'public',
    summary:
      'Send a verification code, valid for 10 minutes, to an e-mail address. The reply does not reveal whether an account has this address',
    changes: true,
    query: z.object({ email, ...challenge }),
  },
  register: {
    audience: 'visitor',
    summary:
      'Register an account and sign in to it. The e-mail address is stored only if the operator requires verification',
    query: z.object(challenge),
    body: registration,
    /** Absent without a session: password sign-in is off, or the caller was signed in already. */
    reply: z.optional(sessionUser),
  },
  askReset: {
    audience: 'public',
    summary:
      'Send a password reset link, valid for 10 minutes. The reply does not reveal whether an account has this address',
    changes: true,
    query: z.object({ email, ...challenge }),
  },
  checkReset: {
    audience: 'public',
    summary: 'Check whether a password reset link is still valid',
    body: z.object({ email, token: z.string().check(z.trim(), z.maxLength(200)) }),
    reply: z.object({ valid: z.boolean() }),
  },
  reset: {
    audience: 'public',
    summary:
      'Reset the password with a link from a mail; ends all sessions and the access token, and disables all tokens',
    body: passwordReset,
    /** A text: the password that the server made, in family mode. */
    reply: z.union([z.object({ disabled_tokens: z.int() }), z.string()]),
  },
  sendLoginCode: {
    audience: 'public',
    summary:
      'Send a sign-in code to the e-mail address of an account, valid for 3 minutes in the requesting browser. The reply does not reveal whether the account exists',
    query: z.object(challenge),
    body: z.object({ email }),
  },
  loginByCode: {
    audience: 'public',
    summary: 'Sign in with a code from a mail',
    body: z.object({ email, code }),
    reply: sessionUser,
  },
  bindEmail: {
    audience: 'user',
    summary: 'Set your e-mail address with its verification code',
    body: ownEmail,
  },
  bindEmailByGet: {
    audience: 'user',
    summary: 'Set your e-mail address; a GET for older clients',
    changes: true,
    query: ownEmail,
  },
  affCode: {
    audience: 'user',
    summary: 'Get your invitation code; the first call creates it',
    changes: true,
    reply: z.string(),
  },
  makeAffCode: {
    audience: 'user',
    summary: 'Create your invitation code, or get the existing one',
    reply: z.string(),
  },
  invitations: {
    audience: 'user',
    summary: 'Your invitation code, counts of invited users and the credits earned; the code is empty until created',
    reply: invitations,
  },
} as const satisfies SchemasByEndpoint;
