import type { SessionUser } from '@relay-hub/contract';

/** Whose session has ended: nobody else signs in, so the form does not ask for the name. */
export interface Known {
  username: string;
  /** Empty where it is not known. */
  email: string;
}

/** What every first step of signing in is given. */
export interface FirstStep {
  known?: Known | undefined;
  /** Why it is asked for again. */
  over?: string | undefined;
  onSignedIn: (user: SessionUser) => void;
  onSecondStep: () => void;
}
