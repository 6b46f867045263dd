import { cost } from '#passwords.ts';

/**
 * Vitest's set-up file: a fifteenth of the whole run's work would go into making passwords hard to guess. What hashes
 * cost in truth matters to few tests.
 */
const real = { ...cost };
const cheap = { memory: 64, passes: 1 };
Object.assign(cost, cheap);

/** Hashes as the product does, meanwhile. */
export async function atRealCost(run: () => Promise<void>): Promise<void> {
  Object.assign(cost, real);
  try {
    await run();
  } finally {
    Object.assign(cost, cheap);
  }
}
