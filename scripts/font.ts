import { writeFileSync } from 'node:fs';
import { makeTextFont, textFont } from './lib/font.ts';

/** Writes the font subset of the console. Run it after an update of Roboto or a change of its characters. */
writeFileSync(textFont, await makeTextFont());
