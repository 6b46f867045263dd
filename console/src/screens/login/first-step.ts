import type { SessionUser } from '@relay-hub/contract';

/** What every first step of signing in is given. */
export interface FirstStep {
  /** Why it is asked for again. */
  over?: string | undefined;
  onSignedIn: (user: SessionUser) => void;
  onSecondStep: () => void;
}
