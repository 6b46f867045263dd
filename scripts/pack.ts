import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildConsole } from './lib/console.ts';
import { root, say } from './lib/run.ts';
import { packHub } from './pack/pack-hub.ts';

/** `npm run pack -- [--to <folder>]` writes the installable package, which runs with Node 26 alone; see docs/deploy.md. */
const { to = root } = parseArgs({ options: { to: { type: 'string' } } }).values;
await buildConsole({ quiet: true });
const { name, archive } = await packHub();
mkdirSync(to, { recursive: true });
writeFileSync(path.join(to, name), archive);
say(`${path.join(to, name)}: ${(archive.length / 1024 / 1024).toFixed(1)} MiB`);
