import path from 'node:path';
import { root } from './lib-run.ts';

/** Where the runners leave the list of what they ran. */
export const reports = {
  vitest: path.join(root, '.cache/ran-vitest.json'),
  playwright: path.join(root, '.cache/ran-playwright.json'),
};
