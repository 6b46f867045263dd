import { objectOr } from '#json.ts';
import type { Identity } from '#features/account/identity/identity.ts';
import type { Settings } from '#settings.ts';

/** Unvalidated: a provider may put any value under any name. */
export type Claims = Readonly<Record<string, unknown>>;

type ClaimSettings = Pick<Settings, 'OIDCUsernameClaims' | 'OIDCGroupsClaim'>;

/** The identity in an ID token's claims. Only issuer and subject identify it; the other fields fill a new account. */
export function identityOf(
  claims: Claims,
  { issuer, subject }: { issuer: string; subject: string },
  { OIDCUsernameClaims: usernameClaims, OIDCGroupsClaim: groupsClaim }: ClaimSettings,
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
    groups: groupsIn(claims, groupsClaim),
  };
}

/**
 * The groups in a claim, which is a list or one text; undefined without a claim to read, and where the provider left
 * them out because they are too many (Entra ID, `_claim_names`).
 */
export function groupsIn(claims: Claims, name: string): readonly string[] | undefined {
  if (name === '' || Object.hasOwn(objectOr(claims['_claim_names']), name)) return undefined;
  const inside = (from: unknown, part: string) => objectOr(from)[part];
  const value = claims[name] ?? name.split('.').reduce(inside, claims as unknown);
  return [value].flat().flatMap((each) => (typeof each === 'string' && each !== '' ? [each] : []));
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Some providers send the flag as a string. */
const isTrue = (value: unknown): boolean => value === true || value === 'true';
