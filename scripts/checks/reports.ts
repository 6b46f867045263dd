import path from 'node:path';
import { root } from '../lib/run.ts';

/** Reports of the test runners, read by check-ran.ts. */
export const reports = {
  vitest: path.join(root, '.cache/ran-vitest.json'),
  playwright: path.join(root, '.cache/ran-playwright.json'),
};
