import * as z from 'zod/mini';
import { password, username } from '../user/user-input.ts';
import { text } from '../values.ts';

/** An address that a mail can go to. */
export const mailAddress = text(50, 1).check(
  z.refine((value) => z.email().safeParse(value).success, { error: 'user.email' }),
);

export const registration = z.object({
  username,
  password,
  /** With the code that was sent to it, where addresses are verified; else it is not kept. */
  email: z._default(text(50), ''),
  verification_code: z._default(text(20), ''),
  /** Of whoever invited; one that is nobody's is passed over. */
  aff_code: z._default(text(64), ''),
});

/** What the link of the mail carries, and the password that its owner chooses. */
export const passwordReset = z.object({
  email: mailAddress,
  token: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
  password,
});
