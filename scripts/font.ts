import { writeFileSync } from 'node:fs';
import { makeTextFont, textFont } from './lib-font.ts';

/** Makes the console's letters anew, after an update of Roboto or a change of what they are to hold. */
writeFileSync(textFont, await makeTextFont());
