import { createStore } from './store.ts';

/** The server's error code that demands a proof of identity. */
export const proofNeeded = 'session.proof';

interface Question {
  answer: (proved: boolean) => void;
}

/** Set while the user is asked for a proof of identity. */
export const proofQuestion = createStore<Question | undefined>(undefined);

let asked: Promise<boolean> | undefined;

/** Asks the user for a proof of identity, once for all waiting calls; false when they decline. */
export function askForProof(): Promise<boolean> {
  asked ??= new Promise<boolean>((resolve) => {
    proofQuestion.set({
      answer(proved) {
        asked = undefined;
        proofQuestion.set(undefined);
        resolve(proved);
      },
    });
  });
  return asked;
}
