import type { IdentityProvider } from '@relay-hub/contract';

/** Who somebody is elsewhere, as the provider has just confirmed. */
export interface Identity {
  provider: IdentityProvider;
  /** Whose subject it is, where a provider is not one place. */
  issuer: string;
  /** What never changes and is never given to anybody else; the only thing that links. */
  subject: string;
  /** For showing to its owner. */
  name: string;
  /** For a new account only, where it is free and fits. */
  username: string;
  displayName: string;
  /** Only what the provider has verified; else empty. */
  email: string;
  avatarUrl: string;
}
