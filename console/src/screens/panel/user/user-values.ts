import { newUser, userEdit, username, type User } from '@relay-hub/contract';
import * as z from 'zod/mini';

export type UserValues = z.input<ReturnType<typeof userRules>>;
export type UserBody = z.output<ReturnType<typeof userRules>>;

/** The contract's rules; an unchanged name and an empty password pass for an existing account. */
export function userRules(user: User | undefined) {
  const { display_name, email, group, quota } = newUser.shape;
  const kept = z.string().check(
    z.trim(),
    z.refine((name) => name === user?.username || username.safeParse(name).success, { error: 'user.name' }),
  );
  const password = user ? userEdit.shape.password : newUser.shape.password;
  return z.object({
    username: user ? kept : username,
    display_name,
    email,
    group,
    password,
    /** With a new password of an existing account. */
    disable_tokens: z.boolean(),
    quota,
  });
}

export const startOf = (user: User | undefined): UserValues => ({
  username: user?.username ?? '',
  display_name: user?.display_name ?? '',
  email: user?.email ?? '',
  password: '',
  disable_tokens: false,
  group: user?.group ?? 'default',
  quota: 0,
});

/** Letters and digits that cannot be confused. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const generatedLength = 16;

/** A random password of 93 bits. */
export function randomPassword(): string {
  const letters: string[] = [];
  while (letters.length < generatedLength) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    // Rejection sampling: a plain modulo would favour some letters.
    const letter = byte < 256 - (256 % alphabet.length) ? alphabet[byte % alphabet.length] : undefined;
    if (letter) letters.push(letter);
  }
  return letters.join('');
}
