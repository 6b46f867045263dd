import type { IdentityProvider } from '@relay-hub/contract';

/** An account at an identity provider, as the provider has just confirmed it. */
export interface Identity {
  provider: IdentityProvider;
  /** The issuer that the subject belongs to. */
  issuer: string;
  /** Permanent and never reassigned; the only field that links accounts. */
  subject: string;
  /** Display name. */
  name: string;
  /** Suggested user name for a new account. */
  username: string;
  displayName: string;
  /** Only an address that the provider has verified; else empty. */
  email: string;
  avatarUrl: string;
  /** Groups at the provider; undefined: it does not say. */
  groups?: readonly string[] | undefined;
}
