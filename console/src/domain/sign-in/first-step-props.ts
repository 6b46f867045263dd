import type { SessionUser } from '@relay-hub/contract';

/** The account of an ended session: the form does not ask for its name. */
export interface KnownAccount {
  username: string;
  /** Empty if unknown. */
  email: string;
}

/** Props of every first step. */
export interface FirstStepProps {
  known?: KnownAccount | undefined;
  /** Why the step must be repeated. */
  over?: string | undefined;
  onSignedIn: (user: SessionUser) => void;
  onSecondStep: () => void;
}
