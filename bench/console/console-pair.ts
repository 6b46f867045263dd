import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from '@playwright/test';
import { launchChromium } from '../../scripts/lib/browser.ts';
import { startCaddySite } from '../../testing/network/caddy.ts';
import { median } from '../statistics.ts';
import { type ConsoleHub, startConsoleHub } from './console-hub.ts';
import { typeInto } from './console-keys.ts';
import { type Loaded, loadOnce } from './console-page.ts';
import { startSlowLine } from './slow-line.ts';

interface Results {
  loads: Map<string, Loaded[]>;
  keysMs: number[];
}

/** The field whose keys are timed. */
const field = { address: '/panel/log?size=100', text: 'gpt-4o-mini' };

/** Compares this tree with another one, with alternating loads over the slow line; returns a Markdown table. */
export async function comparePages(
  browser: Browser,
  other: string,
  addresses: readonly string[],
  rounds: number,
): Promise<string> {
  const hubs = [await startOther(browser, other), await startConsoleHub(browser)];
  try {
    return await compare(hubs, addresses, rounds, { slow: true, names: ['other', 'this'] });
  } finally {
    for (const hub of hubs) await hub.stop();
  }
}

/**
 * Compares HTTP/1.1 with HTTP/2, like `comparePages`: the same hub behind the deploy kit's Caddy, over a line that delays
 * each packet, handshakes included.
 */
export async function compareProtocols(
  browser: Browser,
  addresses: readonly string[],
  rounds: number,
): Promise<string> {
  const hub = await startConsoleHub(browser);
  const caddy = await startCaddySite(Number(new URL(hub.url).port));
  const line = await startSlowLine(Number(new URL(caddy.url).port));
  const withoutHttp2 = await launchChromium('--disable-http2');
  const by = (chosen: Browser): ConsoleHub => ({
    ...hub,
    visit: (signedIn) => hub.visit(signedIn, `https://localhost:${line.port}`, chosen),
  });
  try {
    return await compare([by(withoutHttp2), by(browser)], addresses, rounds, {
      slow: false,
      names: ['HTTP/1.1', 'HTTP/2'],
    });
  } finally {
    await withoutHttp2.close();
    await line.stop();
    await caddy.stop();
    await hub.stop();
  }
}

/** `slow`: whether the browser emulates the slow line. `names` are the headings of the two hubs. */
async function compare(
  hubs: readonly ConsoleHub[],
  addresses: readonly string[],
  rounds: number,
  { slow, names }: { slow: boolean; names: readonly [string, string] },
): Promise<string> {
  const results = hubs.map((): Results => ({ loads: new Map(addresses.map((each) => [each, []])), keysMs: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const address of addresses)
      for (const [i, hub] of hubs.entries()) results[i]!.loads.get(address)!.push(await loadPage(hub, address, slow));
    for (const [i, hub] of hubs.entries()) results[i]!.keysMs.push(...(await typeKeys(hub)));
  }
  return table(addresses, results[0]!, results[1]!, names);
}

/** The hub of another worktree, of this layout or of the one before. */
async function startOther(browser: Browser, tree: string): Promise<ConsoleHub> {
  const find = (...files: string[]): string =>
    path.resolve(
      tree,
      files.find((file) => existsSync(path.join(tree, file)))!,
    );
  const { buildConsole } = (await import(find('scripts/lib/console.ts', 'scripts/lib-console.ts'))) as {
    buildConsole: () => Promise<void>;
  };
  await buildConsole();
  const hub = (await import(find('bench/console/console-hub.ts', 'bench/console-hub.ts'))) as {
    startConsoleHub: typeof startConsoleHub;
  };
  return hub.startConsoleHub(browser);
}

async function loadPage(hub: ConsoleHub, address: string, slow: boolean): Promise<Loaded> {
  const context = await hub.visit(address.startsWith('/panel'));
  const loaded = await loadOnce(context, address, slow);
  await context.close();
  return loaded;
}

async function typeKeys(hub: ConsoleHub): Promise<number[]> {
  const context = await hub.visit(true);
  const { keysMs } = await typeInto(context, field.address, field.text);
  await context.close();
  return keysMs;
}

function table(
  addresses: readonly string[],
  before: Results,
  after: Results,
  [other, name]: readonly [string, string],
): string {
  const lcp = (loads: Loaded[] = []): number => median(loads.map(({ lcpMs }) => lcpMs));
  const requests = (loads: Loaded[] = []): string =>
    `${median(loads.map((each) => each.before))} / ${median(loads.map(({ files, calls }) => files + calls))}`;
  const shift = (loads: Loaded[] = []): number => Math.max(...loads.map((each) => each.shift));
  const rows = addresses.map((address) => {
    const [old, now] = [before.loads.get(address), after.loads.get(address)];
    const cells = [
      lcp(old).toFixed(0),
      lcp(now).toFixed(0),
      (lcp(now) / lcp(old)).toFixed(2),
      requests(old),
      requests(now),
      shift(old).toFixed(3),
      shift(now).toFixed(3),
    ];
    return `| \`${address}\` | ${cells.join(' | ')} |`;
  });
  return [
    `| address | LCP ms, ${other} | LCP ms, ${name} | ratio | requests to LCP / all, ${other} | ${name} | CLS, ${other} | CLS, ${name} |`,
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...rows,
    '',
    `A key in the log filter: ${median(before.keysMs).toFixed(0)} ms (${other}), ${median(after.keysMs).toFixed(0)} ms (${name}).`,
  ].join('\n');
}
