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
