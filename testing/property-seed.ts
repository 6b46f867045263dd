import { configureGlobal, readConfigureGlobal } from 'fast-check';

/**
 * Properties use the same cases in every run, so that failures are caused by changes. PROPERTY_SEED=random, or a
 * number, selects others.
 */
const seed = process.env['PROPERTY_SEED'] ?? '20261122';
if (seed !== 'random') {
  const number = Number(seed);
  if (!Number.isSafeInteger(number)) throw new Error(`PROPERTY_SEED is ${seed}: a whole number or "random"`);
  configureGlobal({ ...readConfigureGlobal(), seed: number });
}
