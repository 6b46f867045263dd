import { createStore } from './store.ts';

/** The server's code for "prove first who you are". */
export const proofNeeded = 'session.proof';

interface Question {
  answer: (proved: boolean) => void;
}

/** Set while somebody is asked who they are. */
export const proofQuestion = createStore<Question | undefined>(undefined);

let asked: Promise<boolean> | undefined;

/** Asks who somebody is, once however many calls want to know; false when they would rather not say. */
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
