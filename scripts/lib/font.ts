import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import subsetFont from 'subset-font';
import { root } from './run.ts';

/** Font subset that nearly every page loads; `console/src/theme/font.css` lists its characters. */
export const textFont = path.join(root, 'console/src/theme/roboto-text.woff2');

/** ASCII and the other characters in the console's texts and amounts. */
export const textSigns = `${String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i))}\u00A0¥·×–—‘’“”•…−↑↓`;

const source = '@fontsource-variable/roboto/files/roboto-latin-wght-normal.woff2';

/** Font weights that the console uses, including bold in texts of operators. */
const weights = { min: 400, max: 700, default: 400 };

/** Roboto reduced to these characters and weights, which is less than half of the bytes. */
export async function makeTextFont(): Promise<Buffer> {
  const whole = createRequire(path.join(root, 'console/package.json')).resolve(source);
  return subsetFont(readFileSync(whole), textSigns, { targetFormat: 'woff2', variationAxes: { wght: weights } });
}
