import type { SessionUser } from '@relay-hub/contract';

/** The account of an ended session: the form does not ask for its name. */
export interface Known {
  username: string;
  /** Empty if unknown. */
  email: string;
}

/** Props of every first step. */
export interface FirstStep {
  known?: Known | undefined;
  /** Why the step must be repeated. */
  over?: string | undefined;
  onSignedIn: (user: SessionUser) => void;
  onSecondStep: () => void;
}
