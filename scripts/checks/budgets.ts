import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildConsole } from '../lib/console.ts';
import { root, say } from '../lib/run.ts';

interface PageFiles {
  scripts: string[];
  styles: string[];
  fonts: string[];
  routes: Record<string, { scripts: string[]; texts: Record<string, string> }>;
}

/** KiB of scripts on the first load of a page (brotli). */
const scriptGate = 185;
// Settings has the name and description of every setting, for its search; the playground its editor.
const scriptGates: Record<string, number> = { '/login': 160, '/panel/setting': 188, '/panel/playground': 191 };
/** KiB of scripts, styles and fonts. */
const allGates: Record<string, number> = { '/panel/dashboard': 220 };
/** The page itself, its scripts, styles and fonts. */
const requestGate = 10;
/** The languages differ by less than one KiB. */
const measuredIn = 'en_US';

const dist = path.join(root, 'console/dist');
const doc = path.join(root, 'docs/performance-console.md');

await buildConsole();
const files = JSON.parse(readFileSync(path.join(dist, '.vite/routes.json'), 'utf8')) as PageFiles; // written by the build
const otherFiles = [...files.styles, ...files.fonts];

const rows = Object.entries(files.routes)
  .filter(([address]) => !address.startsWith('/dev'))
  .map(([address, route]) => {
    const scripts = [...files.scripts, ...route.scripts, route.texts[measuredIn] ?? ''];
    const requests = 1 + scripts.length + otherFiles.length;
    return { address, scripts: sizeOf(scripts), all: sizeOf([...scripts, ...otherFiles]), requests };
  });

const faults = rows.flatMap(({ address, scripts, all, requests }) => [
  ...over(address, 'KiB of scripts', scripts, scriptGates[address] ?? scriptGate),
  ...over(address, 'KiB of files', all, allGates[address]),
  ...over(address, 'requests', requests, requestGate),
]);

const table = [
  '| address | scripts | gate | scripts, styles, fonts | gate | requests | gate |',
  '|---|--:|--:|--:|--:|--:|--:|',
  ...rows.map(({ address, scripts, all, requests }) => {
    const gates = [scriptGates[address] ?? scriptGate, allGates[address] ?? '', requestGate];
    return `| \`${address}\` | ${scripts.toFixed(1)} | ${gates[0]} | ${all.toFixed(1)} | ${gates[1]} | ${requests} | ${gates[2]} |`;
  }),
].join('\n');

if (process.argv.includes('--write')) {
  const text = readFileSync(doc, 'utf8');
  writeFileSync(doc, text.replace(/(<!-- bytes -->\n)[^]*(\n<!-- \/bytes -->)/, `$1\n${table}\n$2`));
} else say(table);
for (const fault of faults) say(`OVER BUDGET ${fault}`);
process.exit(faults.length > 0 ? 1 : 0);

function over(address: string, what: string, value: number, gate = Infinity): string[] {
  return value > gate ? [`${address}: ${Number(value.toFixed(1))} ${what}, at most ${gate}`] : [];
}

/** KiB of files after brotli, if compression helps. */
function sizeOf(names: readonly string[]): number {
  const bytes = names.map((name) => {
    const file = path.join(dist, name);
    return statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size;
  });
  return bytes.reduce((sum, size) => sum + size, 0) / 1024;
}
