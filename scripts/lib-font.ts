import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import subsetFont from 'subset-font';
import { root } from './lib-run.ts';

/** Where the letters lie that nearly every page shows; `console/src/theme/font.css` names what is in it. */
export const textFont = path.join(root, 'console/src/theme/roboto-text.woff2');

/** ASCII, and the signs that stand in the console's own texts and amounts. */
export const textSigns = `${String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i))}\u00A0¥·×–—‘’“”•…−↑↓`;

const source = '@fontsource-variable/roboto/files/roboto-latin-wght-normal.woff2';

/** The weights that the console uses, bold in texts of operators among them. */
const weights = { min: 400, max: 700, default: 400 };

/** Roboto as its package brings it, with these letters and weights alone: less than half of the bytes. */
export async function makeTextFont(): Promise<Buffer> {
  const whole = createRequire(path.join(root, 'console/package.json')).resolve(source);
  return subsetFont(readFileSync(whole), textSigns, { targetFormat: 'woff2', variationAxes: { wght: weights } });
}
