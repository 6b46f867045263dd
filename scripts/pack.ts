import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readCommand, text } from '../server/src/process/command-line.ts';
import { makeFolder } from '../server/src/process/atomic-file.ts';
import { buildConsole } from './lib/console.ts';
import { root, say } from './lib/run.ts';
import { packHub } from './pack/pack-hub.ts';

const { to } = readCommand({
  name: 'pack',
  about: 'Writes the installable package, which runs with Node 26 alone; see docs/deploy.md.',
  options: { to: text('<folder>', 'folder of the package; default: this repository', root) },
});
await buildConsole({ quiet: true });
const { name, archive } = await packHub();
makeFolder(path.resolve(to));
writeFileSync(path.join(to, name), archive);
say(`${path.join(to, name)}: ${(archive.length / 1024 / 1024).toFixed(1)} MiB`);
