import type { BrowserContext, CDPSession, Page } from '@playwright/test';

/** CPU throttling factor of the browser's main thread. */
export const SLOWDOWN = 4;
/** Chromium's "Slow 4G": latency per request in milliseconds, bytes per second. */
const slowLine = { offline: false, latency: 562.5, downloadThroughput: 1_440_000 / 8, uploadThroughput: 675_000 / 8 };
/** Late work of a page has started after this time. */
const settleMs = 700;

export interface Loaded {
  lcpMs: number;
  shift: number;
  /** Milliseconds of each task of at least 50 ms on the main thread. */
  longTasks: number[];
  bytes: number;
  files: number;
  calls: number;
  /** Requests that were sent before the largest contentful paint. */
  before: number;
}

interface Seen {
  lcpMs: number;
  shift: number;
  longTasks: number[];
}

/** Opens a page with a throttled CPU; `slow` also throttles the network. */
export async function openSlowed(
  context: BrowserContext,
  slow = false,
  slowdown = SLOWDOWN,
): Promise<{ page: Page; wire: CDPSession }> {
  const page = await context.newPage();
  const wire = await context.newCDPSession(page);
  await wire.send('Network.enable');
  await wire.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  if (slow) await wire.send('Network.emulateNetworkConditions', slowLine);
  await page.addInitScript(watch);
  return { page, wire };
}

/** Loads an address with an empty cache and returns the timings. */
export async function loadOnce(context: BrowserContext, address: string, slow = false): Promise<Loaded> {
  const { page, wire } = await openSlowed(context, slow);
  const [calls, files] = [new Set<string>(), new Set<string>()];
  const sentAtS: number[] = [];
  let bytes = 0;
  wire.on('Network.requestWillBeSent', ({ requestId, request, timestamp }) => {
    const { pathname, protocol } = new URL(request.url);
    if (!protocol.startsWith('http')) return;
    (pathname.startsWith('/api/') ? calls : files).add(requestId);
    sentAtS.push(timestamp);
  });
  wire.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength));
  await page.goto(address);
  await settle(page);
  const seen = await seenBy(page);
  await page.close();
  const before = sentAtS.filter((at) => (at - sentAtS[0]!) * 1000 < seen.lcpMs).length;
  return { ...seen, bytes, files: files.size, calls: calls.size, before };
}

/** Waits until a page is rendered and loads nothing more. */
export async function settle(page: Page): Promise<void> {
  // Not a locator by role: it computes roles in the slowed thread, again and again.
  await page.waitForSelector('h1, h2', { state: 'attached' });
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(settleMs);
}

/** Results of the observers in the page so far. */
export const seenBy = (page: Page): Promise<Seen> =>
  page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);

/** Runs in the page before its scripts. */
function watch(): void {
  const seen: Seen = { lcpMs: 0, shift: 0, longTasks: [] };
  Object.assign(globalThis, { seen });
  const observe = (type: string, take: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe('largest-contentful-paint', ({ startTime }) => void (seen.lcpMs = startTime));
  observe('longtask', ({ duration }) => void seen.longTasks.push(duration));
  observe('layout-shift', (entry) => {
    const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
    if (!hadRecentInput) seen.shift += value;
  });
}
