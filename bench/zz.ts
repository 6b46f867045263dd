import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { relayHub, startUpstream } from './targets.ts';
import { memoryOf } from './usage.ts';
const upstream = await startUpstream();
for (let n = 0; n < 6; n++) {
  const folder = mkdtempSync(path.join(tmpdir(), 'zz-'));
  const hub = await relayHub('Relay Hub', path.join(import.meta.dirname, '..'), folder, upstream.url);
  const r = await hub.start();
  const a: unknown[] = [];
  for (let i = 0; i < 4; i++) { await new Promise((f) => setTimeout(f, 700)); a.push(Math.round(memoryOf(r.child.pid) ?? 0)); }
  console.log(a.join(' '));
  await r.child.stop();
  rmSync(folder, { recursive: true });
}
await upstream.child.stop();
process.exit(0);
