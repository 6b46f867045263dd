import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readCommand, text } from '../server/src/process/command-line.ts';
import { makeFolder } from '../server/src/process/atomic-file.ts';
import { buildConsole } from './lib/console.ts';
import { root, say } from './lib/run.ts';
import { packHub } from './pack/pack-hub.ts';
import { checksumOf, provenanceOf, signatureOf } from './pack/sbom.ts';

const { to, sign } = readCommand({
  name: 'pack',
  about: 'Writes the installable package, which runs with Node 26 alone; see docs/deploy.md.',
  options: {
    to: text('<folder>', 'folder of the package; default: this repository', root),
    sign: text('<file>', 'PEM file of an Ed25519 key, which signs the package; default: no signature', ''),
  },
});
await buildConsole({ quiet: true });
const { name, archive, sbom } = await packHub();
makeFolder(path.resolve(to));
const write = (file: string, content: string | Buffer): void => writeFileSync(path.join(to, file), content);
write(name, archive);
write(`${name}.sha256`, checksumOf(name, archive));
write(`${name}.provenance.json`, provenanceOf(name, archive));
write(name.replace(/tgz$/, 'sbom.cdx.json'), sbom);
if (sign !== '') write(`${name}.sig`, signatureOf(archive, sign));
say(`${path.join(to, name)}: ${(archive.length / 1024 / 1024).toFixed(1)} MiB`);
