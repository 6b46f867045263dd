import type { Identity } from '#features/account/identity/identity.ts';

/** Unvalidated: a provider may put any value under any name. */
export type Claims = Readonly<Record<string, unknown>>;

/** The identity in an ID token's claims. Only issuer and subject identify it; the other fields fill a new account. */
export function identityOf(
  claims: Claims,
  { issuer, subject }: { issuer: string; subject: string },
  usernameClaims: readonly string[],
): Identity {
  const first = (...names: string[]) => names.map((name) => text(claims[name])).find((value) => value !== '') ?? '';
  const email = isTrue(claims['email_verified']) ? text(claims['email']) : '';
  const username = first(...usernameClaims, 'preferred_username', 'nickname');
  return {
    provider: 'oidc',
    issuer,
    subject,
    name: text(claims['email']) || username || first('name') || subject,
    username: username || email.replace(/@.*/s, ''),
    displayName: first('displayName', 'name', 'nickname'),
    email,
    avatarUrl: first('picture'),
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Some providers send the flag as a string. */
const isTrue = (value: unknown): boolean => value === true || value === 'true';
