import { createHook } from 'node:async_hooks';
import { cost, recommendedCost } from '#passwords.ts';

/** Vitest setup file: real password hashing would take a fifteenth of the run. */
const cheap = { memory: 64, passes: 1 };
Object.assign(cost, cheap);

/** Hashes at production cost while `run` runs. */
export async function atRealCost(run: () => Promise<void>): Promise<void> {
  Object.assign(cost, recommendedCost);
  try {
    await run();
  } finally {
    Object.assign(cost, cheap);
  }
}

/** How many keys are derived from passwords while `run` runs. */
export async function derivations(run: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({ init: (_, type) => void (type === 'ARGON2REQUEST' && count++) }).enable();
  try {
    await run();
  } finally {
    hook.disable();
  }
  return count;
}
