import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import type { Browser } from '@playwright/test';
import { flag, readCommand, text, whole } from '../../server/src/process/command-line.ts';
import { launchChromium } from '../../scripts/lib/browser.ts';
import { buildConsole } from '../../scripts/lib/console.ts';
import { root } from '../../scripts/lib/run.ts';
import { type ConsoleHub, MODELS, startConsoleHub } from './console-hub.ts';
import { type Typed, typeInto } from './console-keys.ts';
import { type Loaded, loadOnce, SLOWDOWN } from './console-page.ts';
import { comparePages, compareProtocols } from './console-pair.ts';
import { walk, type Walked, walkRoutes } from './console-routes.ts';
import { median } from '../statistics.ts';

const flags = readCommand({
  name: 'tool bench:console',
  about: `Measures the built console in a browser with a CPU throttled by a factor of ${SLOWDOWN}.`,
  options: {
    rounds: whole('<number>', 'repetitions of each measurement; default: 3', 3, 1),
    only: text('<addresses>', 'only these addresses, separated by commas', undefined),
    write: flag('write the results into docs/performance-console.md'),
    against: text('<folder>', 'compare with another worktree over the slow line, with alternating loads', undefined),
    http2: flag('compare HTTP/1.1 and HTTP/2 to a hub behind Caddy, over a line that delays packets'),
  },
});

/** Addresses that are also loaded over a slow connection. */
const onSlowLine = ['/', '/login', '/price', '/panel/dashboard', '/panel/channel', '/panel/log'];

const fields = [
  { name: `price list, ${MODELS} models`, address: '/price', text: 'vendor-7/mode' },
  { name: `prices, ${MODELS} models`, address: '/panel/pricing?size=100', text: 'vendor-7/mode' },
  { name: 'log, 100 rows', address: '/panel/log?size=100', text: 'gpt-4o-mini' },
  { name: 'balance movements, 100 rows', address: '/panel/ledger?size=100', text: 'root' },
];

const doc = path.join(root, 'docs/performance-console.md');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  await buildConsole();
  const browser = await launchChromium();
  if (flags.against !== undefined || flags.http2) {
    const [pages, rounds] = [selected(onSlowLine), flags.rounds];
    say(
      flags.against === undefined
        ? await compareProtocols(browser, pages, rounds)
        : await comparePages(browser, flags.against, pages, rounds),
    );
    return browser.close();
  }
  const hub = await startConsoleHub(browser);
  try {
    const report = await measure(browser, hub);
    say(report);
    if (flags.write)
      writeFileSync(
        doc,
        readFileSync(doc, 'utf8').replace(/(<!-- times -->\n)[^]*(\n<!-- \/times -->)/, `$1\n${report}\n$2`),
      );
  } finally {
    await browser.close();
    await hub.stop();
  }
}

async function measure(browser: Browser, hub: ConsoleHub): Promise<string> {
  const pages = selected(addressesOfBuild());
  const loads = await eachRound(pages, (address) => load(hub, address));
  const slow = await eachRound(selected(onSlowLine), (address) => load(hub, address, true));
  const typed = await eachRound(
    fields.filter(({ address }) => isWanted(address.split('?')[0]!)),
    async ({ address, text: keyed }) => {
      const context = await hub.visit(address.startsWith('/panel'));
      const keys = await typeInto(context, address, keyed);
      await context.close();
      return keys;
    },
  );
  const walks = walk.some(isWanted)
    ? await eachRound([1, SLOWDOWN], async (slowdown) => {
        const context = await hub.visit(true);
        const walked = await walkRoutes(context, slowdown);
        await context.close();
        return walked;
      })
    : [];
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'CPU'}, Chromium ${browser.version().split('.')[0]}`;
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}; thread ${SLOWDOWN}× slowed, nothing in the cache, 1440×900, median of ${flags.rounds}.`,
    '',
    '| address | LCP ms | CLS | long tasks | longest ms | KiB over the wire | files | calls |',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...loads.map(([address, all]) => loadRow(address, all)),
    '',
    'The same over a slow line (1.44 Mbit/s, 562 ms for each request):',
    '',
    '| address | LCP ms | CLS | long tasks | longest ms |',
    '|---|--:|--:|--:|--:|',
    ...slow.map(([address, all]) => loadRow(address, all, true)),
    '',
    'Typing, a key every third of a second, each followed by its search; from the press of a key to the paint after it:',
    '',
    '| where | ms a key | worst | long tasks | longest ms |',
    '|---|--:|--:|--:|--:|',
    ...typed.map(([{ name, address }, all]) => keysRow(name, address, all)),
    '',
    'To a page that was seen before, by its link in the menu; from the press to the paint that shows it, its list included:',
    '',
    `| page | ms, thread not slowed | worst | ms, ${SLOWDOWN}× | worst |`,
    '|---|--:|--:|--:|--:|',
    ...walk.filter(isWanted).map((to) => changeRow(to, walks)),
  ].join('\n');
}

/** Interleaves the items in each round, so that a disturbance does not affect only one of them. */
async function eachRound<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<[Item, Result[]][]> {
  const results = items.map((item): [Item, Result[]] => [item, []]);
  for (let round = 0; round < flags.rounds; round++) for (const [item, all] of results) all.push(await run(item));
  return results;
}

async function load(hub: ConsoleHub, address: string, slow = false): Promise<Loaded> {
  const context = await hub.visit(address.startsWith('/panel'));
  const loaded = await loadOnce(context, address, slow);
  await context.close();
  return loaded;
}

/** Every address of the build, except development pages. */
function addressesOfBuild(): string[] {
  const file = path.join(root, 'console/dist/.vite/routes.json'); // written by the build
  const { routes } = JSON.parse(readFileSync(file, 'utf8')) as { routes: Record<string, unknown> };
  return Object.keys(routes).filter((address) => !address.startsWith('/dev'));
}

const isWanted = (address: string): boolean => flags.only === undefined || flags.only.split(',').includes(address);
const selected = (addresses: readonly string[]): string[] => addresses.filter(isWanted);

function loadRow(address: string, all: readonly Loaded[], short = false): string {
  const of = (pick: (one: Loaded) => number): number => median(all.map(pick));
  const cells = [
    `\`${address}\``,
    of(({ lcpMs }) => lcpMs).toFixed(0),
    Math.max(...all.map(({ shift }) => shift)).toFixed(3),
    of(({ longTasks }) => longTasks.length).toFixed(0),
    of(({ longTasks }) => Math.max(0, ...longTasks)).toFixed(0),
    of(({ bytes }) => bytes / 1024).toFixed(0),
    of(({ files }) => files).toFixed(0),
    of(({ calls }) => calls).toFixed(0),
  ];
  return `| ${(short ? cells.slice(0, 5) : cells).join(' | ')} |`;
}

function keysRow(name: string, address: string, all: readonly Typed[]): string {
  const keys = all.flatMap(({ keysMs }) => keysMs);
  const cells = [
    `${name} (\`${address}\`)`,
    median(keys).toFixed(0),
    Math.max(...keys).toFixed(0),
    median(all.map(({ longTasks }) => longTasks.length)).toFixed(0),
    median(all.map(({ longTasks }) => Math.max(0, ...longTasks))).toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

function changeRow(to: string, walks: readonly [number, Walked[][]][]): string {
  const cells = walks.flatMap(([, rounds]) => {
    const changes = rounds.flat().flatMap((walked) => (walked.to === to ? walked.changesMs : []));
    return [median(changes).toFixed(0), Math.max(...changes).toFixed(0)];
  });
  return `| \`${to}\` | ${cells.join(' | ')} |`;
}

await main();
