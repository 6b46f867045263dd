import * as z from 'zod/mini';
import { password, username } from '../user/user-input.ts';
import { text } from '../values.ts';

/** An e-mail address. */
export const mailAddress = text(50, 1).check(
  z.refine((value) => z.email().safeParse(value).success, { error: 'user.email' }),
);

export const registration = z.object({
  username,
  password,
  /** Requires `verification_code` if addresses are verified; otherwise ignored. */
  email: z._default(text(50), ''),
  verification_code: z._default(text(20), ''),
  /** Code of the inviter; unknown codes are ignored. */
  aff_code: z._default(text(64), ''),
});

/** Parameters of a reset link, and the new password. */
export const passwordReset = z.object({
  email: mailAddress,
  token: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
  /** Only in family mode it may be absent; the server then makes one and returns it. */
  password: z.optional(password),
});
