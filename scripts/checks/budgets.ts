import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildConsole } from '../lib/console.ts';
import { root, say } from '../lib/run.ts';

interface Gate {
  gate: number;
  aim?: number;
  files: number;
  /** Scripts, styles and fonts, without API requests. */
  all?: { gate: number; aim: number };
}

interface PageFiles {
  scripts: string[];
  styles: string[];
  fonts: string[];
  routes: Record<string, { scripts: string[]; texts: Record<string, string[]> }>;
}

/** KiB of compressed scripts that an address loads before it is complete. */
const gates: Record<string, Gate> = {
  '/login': { gate: 126, aim: 96, files: 14 },
  '/panel/dashboard': { gate: 142, aim: 125, files: 14, all: { gate: 190, aim: 160 } },
  '/panel/log': { gate: 140, aim: 120, files: 14 },
  '/panel/channel': { gate: 140, aim: 120, files: 14 },
};
/** Gate of every other page. */
const anyPage: Gate = { gate: 142, files: 20 };
const cssGate = 14;
const languageGate = 14;
/** Language of the gates; other languages differ by less than one KiB and are listed. */
const measuredIn = 'en_US';

const dist = path.join(root, 'console/dist');
const doc = path.join(root, 'docs/performance-console.md');

await buildConsole();
const files = JSON.parse(readFileSync(path.join(dist, '.vite/routes.json'), 'utf8')) as PageFiles; // written by the build
const otherFiles = [...files.styles, ...files.fonts];

const rows = Object.entries(files.routes)
  .filter(([address]) => !address.startsWith('/dev'))
  .map(([address, route]) => {
    const scripts = [...files.scripts, ...route.scripts, ...(route.texts[measuredIn] ?? [])];
    const requests = 1 + scripts.length + otherFiles.length;
    return { address, scripts: sizeOf(scripts), all: sizeOf([...scripts, ...otherFiles]), requests };
  });
const css = sizeOf(files.styles);
const fonts = sizeOf(files.fonts);
const withAll = rows.flatMap(({ address, js }) => {
  const { all } = gates[address] ?? anyPage;
  return all ? [{ address, size: js + css + fonts, ...all }] : [];
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
  '',
  `Styles: ${css.toFixed(1)} KiB of at most ${cssGate}; fonts: ${fonts.toFixed(1)} KiB.`,
  ...withAll.map(
    ({ address, size, gate, aim }) =>
      `Scripts, styles and fonts of \`${address}\`: ${size.toFixed(1)} KiB of at most ${gate}; the aim is ${aim}.`,
  ),
].join('\n');

if (process.argv.includes('--write')) {
  const text = readFileSync(doc, 'utf8');
  writeFileSync(doc, text.replace(/(<!-- bytes -->\n)[^]*(\n<!-- \/bytes -->)/, `$1\n${table}\n$2`));
} else say(table);
for (const fault of faults) say(`OVER BUDGET ${fault}`);
process.exit(faults.length > 0 ? 1 : 0);

/** KiB of files as sent: the compressed file if there is one. */
function sizeOf(names: readonly string[]): number {
  const bytes = names.map((name) => {
    const file = path.join(dist, name);
    return statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size;
  });
  return bytes.reduce((sum, size) => sum + size, 0) / 1024;
}
