import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { mailAddress as email, passwordReset, registration } from './user-register-input.ts';
import { sessionUser } from '../user/user.ts';
import { credits } from '../values.ts';

/** What the widget gave to prove a person; needed where the operator has switched the check on. */
const challenge = { turnstile: z.optional(z.string().check(z.maxLength(2048))) };

const code = z.string().check(z.trim(), z.minLength(1), z.maxLength(20));
const ownEmail = z.object({ email, code });

/** What an account gets out of inviting others. */
export const invitations = z.object({
  aff_code: z.string(),
  invited: z.int(),
  /** Credits that came in for invitations, the own one included. */
  earned: credits,
  /** What each further one gives to the inviter, and to who is invited. */
  inviter_reward: credits,
  invitee_reward: credits,
});
export type Invitations = z.infer<typeof invitations>;

export const registerSchemas = {
  sendCode: {
    audience: 'public',
    summary:
      'Send a code to an address that is to be proved, valid for 10 minutes. The answer is the same whether or not there is an account with it',
    changes: true,
    query: z.object({ email, ...challenge }),
  },
  register: {
    audience: 'public',
    summary: 'Make an account. An address is kept only where the operator has addresses verified',
    query: z.object(challenge),
    body: registration,
  },
  askReset: {
    audience: 'public',
    summary:
      'Send a link to choose a new password with, valid for 10 minutes. The answer is the same whether or not there is an account with this address',
    changes: true,
    query: z.object({ email, ...challenge }),
  },
  checkReset: {
    audience: 'public',
    summary: 'Whether a link to a new password is still good',
    body: z.object({ email, token: z.string().check(z.trim(), z.maxLength(200)) }),
    reply: z.object({ valid: z.boolean() }),
  },
  reset: {
    audience: 'public',
    summary:
      'Choose a new password with the link that came by mail; ends all sessions and the access token, and switches the API keys off',
    body: passwordReset,
    reply: z.object({ disabled_tokens: z.int() }),
  },
  sendLoginCode: {
    audience: 'public',
    summary:
      'Send a code to sign in with to the address of an account, valid for 3 minutes in the browser that asked. The answer is the same whether or not there is one',
    query: z.object(challenge),
    body: z.object({ email }),
  },
  loginByCode: {
    audience: 'public',
    summary: 'Sign in with the code that came by mail',
    body: z.object({ email, code }),
    reply: sessionUser,
  },
  bindEmail: {
    audience: 'user',
    summary: 'Make an address the own one with the code that was sent to it',
    body: ownEmail,
  },
  bindEmailByGet: {
    audience: 'user',
    summary: 'The same, as older clients ask for it',
    changes: true,
    query: ownEmail,
  },
  affCode: {
    audience: 'user',
    summary: 'The own invitation code, made when it is first asked for',
    changes: true,
    reply: z.string(),
  },
  makeAffCode: {
    audience: 'user',
    summary: 'The same',
    reply: z.string(),
  },
  invitations: {
    audience: 'user',
    summary: 'The own invitation code, how many came with it, and what that gave; the code is empty until it is made',
    reply: invitations,
  },
} as const satisfies SchemasByEndpoint;
