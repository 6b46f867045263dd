import { configureGlobal, readConfigureGlobal } from 'fast-check';

/**
 * Properties are tried on the same cases in every run, so that a change is judged by what it changed. With
 * PROPERTY_SEED=random, or a number, they are tried on others: to look for what the usual cases do not show.
 */
const seed = process.env['PROPERTY_SEED'] ?? '20261122';
if (seed !== 'random') {
  const number = Number(seed);
  if (!Number.isSafeInteger(number)) throw new Error(`PROPERTY_SEED is ${seed}: a whole number or "random"`);
  configureGlobal({ ...readConfigureGlobal(), seed: number });
}
