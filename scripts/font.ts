import { writeFileSync } from 'node:fs';
import { readCommand } from '../server/src/process/command-line.ts';
import { makeTextFont, textFont } from './lib/font.ts';

readCommand({
  name: 'tool font',
  about: 'Writes the font subset of the console, after an update of Roboto or a change of its characters.',
});

writeFileSync(textFont, await makeTextFont());
