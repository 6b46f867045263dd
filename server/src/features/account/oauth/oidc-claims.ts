import type { Identity } from './identity.ts';

/** As they came: a provider may put anything under any name. */
export type Claims = Readonly<Record<string, unknown>>;

/** Who the claims of an ID token speak of. Only issuer and subject say who it is; the rest is for a new account. */
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
    username: username || email.split('@')[0]!,
    displayName: first('displayName', 'name', 'nickname'),
    email,
    avatarUrl: first('picture'),
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Some providers write it as a text. */
const isTrue = (value: unknown): boolean => value === true || value === 'true';
