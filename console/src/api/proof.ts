import { createStore } from './store.ts';

/** The server's error code that demands a proof of identity. */
export const proofNeeded = 'session.proof';

interface ProofQuestion {
  answer: (proved: boolean) => void;
}

/** Set while the user is pending for a proof of identity. */
export const proofQuestion = createStore<ProofQuestion | undefined>(undefined);

let pending: Promise<boolean> | undefined;

/** Asks the user for a proof of identity, once for all waiting calls; false when they decline. */
export function askForProof(): Promise<boolean> {
  pending ??= new Promise<boolean>((resolve) => {
    proofQuestion.set({
      answer(proved) {
        pending = undefined;
        proofQuestion.set(undefined);
        resolve(proved);
      },
    });
  });
  return pending;
}
