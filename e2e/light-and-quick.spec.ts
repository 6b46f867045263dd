import type { Page } from '@playwright/test';
import { startSlowLine } from '../bench/console/slow-line.ts';
import { callsOf, expect, signIn, test } from './hub.ts';

/** KiB of scripts including texts, and what loads after the first picture; scripts/checks/budgets.ts has the first load. */
const pages = [
  { address: '/login', scripts: 160 },
  { address: '/panel/dashboard', scripts: 192 },
  { address: '/panel/channel', scripts: 181 },
  { address: '/panel/log', scripts: 185 },
];
// With what loads after the first picture; scripts/checks/budgets.ts has the gate of the first load.
const mostFiles = 16;
/** Size of the response head, added per file. */
const headKiB = 1.3;
const mostShift = 0.01;

interface Loaded {
  path: string;
  kind: string;
  bytes: number;
}

/** For `addInitScript`: `shift` is the layout shift of the page so far. */
function watchShifts(): void {
  Object.assign(globalThis, { shift: 0 });
  new PerformanceObserver((list) => {
    const moved = list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[];
    const sum = moved.filter((each) => !each.hadRecentInput).reduce((all, { value }) => all + value, 0);
    Object.assign(globalThis, { shift: (globalThis as unknown as { shift: number }).shift + sum });
  }).observe({ type: 'layout-shift', buffered: true });
}

/** For `addInitScript`: `fetched` lists the addresses that the page's scripts requested. */
function watchFetches(): void {
  const fetched: string[] = [];
  Object.assign(globalThis, { fetched });
  const real = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input, location.href);
    fetched.push(pathname + search);
    return real(input, init);
  };
}

/** Layout shift of a page with `watchShifts`. */
const shiftOf = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { shift: number }).shift);

/** Opens a page with an empty cache and returns the loaded resources. */
async function load(page: Page, address: string): Promise<Loaded[]> {
  const wire = await page.context().newCDPSession(page);
  await wire.send('Network.enable');
  const seen = new Map<string, Loaded>();
  wire.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other' }) => {
    const { pathname, search, protocol } = new URL(request.url);
    if (protocol.startsWith('http')) seen.set(requestId, { path: pathname + search, kind: type, bytes: 0 });
  });
  wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = seen.get(requestId);
    if (one) one.bytes = encodedDataLength;
  });
  await page.addInitScript(watchShifts);
  await page.addInitScript(watchFetches);
  await page.goto(address);
  await page.getByRole('heading').first().waitFor();
  await page.waitForLoadState('networkidle');
  return [...seen.values()];
}

const isCall = ({ path }: Loaded): boolean => path.startsWith('/api/');

// An empty page would load less than the page of an operator.
test.beforeAll(async ({ hub, upstream }) => {
  const api = await callsOf(hub);
  const send = async (path: string, data: object, headers = {}): Promise<unknown> => {
    const answer = await api.post(path, { data, headers });
    expect(answer.ok(), `${path}: ${await answer.text()}`).toBe(true);
    return answer.json();
  };
  const [model, key] = ['gpt-4o-mini', 'sk-light'];
  const channel = { type: 8, name: 'light', base_url: upstream.url, models: model, test_model: model, priority: 1000 };
  await send('/api/channel/', { ...channel, key });
  const { data } = (await send('/api/token/', { name: 'light', unlimited_quota: true })) as { data: { key: string } };
  const messages = [{ role: 'user', content: 'hello' }];
  await send('/v1/chat/completions', { model, messages }, { authorization: `Bearer ${data.key}` });
  await api.dispose();
});

for (const { address, scripts } of pages) {
  test(`${address} is small, loads few files and has no layout shift`, async ({ page, context, hub }) => {
    if (address.startsWith('/panel')) await signIn(context, hub);
    const loaded = await load(page, address);
    const files = loaded.filter((one) => !isCall(one));
    const ours = files.filter(({ path }) => path.endsWith('.js'));
    const bytes = ours.reduce((sum, each) => sum + each.bytes, 0);
    expect(bytes / 1024).toBeGreaterThan(50);
    expect(bytes / 1024).toBeLessThanOrEqual(scripts + ours.length * headKiB);
    expect(files.length, files.map(({ path }) => path).join('\n')).toBeLessThanOrEqual(mostFiles);
    expect(await shiftOf(page)).toBeLessThanOrEqual(mostShift);

    // The replies in the page are used; their requests are not sent.
    const replies = await page.evaluate(() =>
      Object.keys(JSON.parse(document.querySelector('#first-replies')?.textContent ?? '{}') as object),
    );
    expect(replies.length).toBeGreaterThan(1);
    const fetched = await page.evaluate((): string[] => Reflect.get(globalThis, 'fetched'));
    for (const call of replies) expect(fetched, call).not.toContain(call);
    expect(loaded.filter((one) => replies.includes(one.path))).toEqual([]);
  });
}

for (const address of ['/', '/panel/profile'])
  test(`${address} has no layout shift on a slow connection`, async ({ page, context, hub }) => {
    if (address.startsWith('/panel')) await signIn(context, hub);
    const line = await startSlowLine(Number(new URL(hub.url).port));
    await load(page, `http://127.0.0.1:${line.port}${address}`);
    expect(await shiftOf(page)).toBeLessThanOrEqual(mostShift);
    await page.goto('about:blank');
    await line.stop();
  });

test('the next screen is preloaded on hover or focus, and not fetched again when it opens', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.goto('/panel/books');
  await page.waitForLoadState('networkidle');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  const count = (path: string) => requests.filter((each) => each === path).length;
  const entry = (name: string) =>
    page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name, exact: true });

  await entry('Tokens').hover();
  await expect.poll(() => count('/api/token/'), 'requests of tokens').toBe(1);
  await expect.poll(() => requests.some((path) => path.includes('/assets/token-')), 'the screen is fetched').toBe(true);
  await expect(page).toHaveURL(/\/panel\/books$/);
  await page.waitForLoadState('networkidle');
  await entry('Tokens').click();
  await expect(page.getByRole('heading', { name: 'Tokens', level: 1 })).toBeVisible();
  expect(count('/api/token/')).toBe(1);

  await entry('Users').focus();
  await expect.poll(() => count('/api/user/'), 'requests of users').toBe(1);
});

test('a disabled token is shown as disabled before the server replies, and stays so', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.goto('/panel/token');
  const row = page.getByRole('row').filter({ hasText: 'light' });
  await expect(row).toContainText('Enabled');
  let send = (): void => undefined;
  const held = new Promise<void>((resolve) => (send = resolve));
  await page.route('**/api/token/**', async (route) => {
    if (route.request().method() === 'PUT') await held;
    await route.continue();
  });
  await row.getByRole('button', { name: 'More actions for light' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await expect(row).toContainText('Disabled');
  send();
  await expect(page.getByText('Disabled light')).toBeVisible();
  await expect(row).toContainText('Disabled');
});

test('neither theme nor language flashes: both are set before anything is painted', async ({ page, context, hub }) => {
  await context.addInitScript(() => {
    localStorage.setItem('theme', 'dark');
    localStorage.setItem('appLanguage', 'zh_CN');
    localStorage.setItem('fontFamily', 'serif');
    localStorage.setItem('borderRadius', '20');
  });
  // Without our scripts, only inline scripts have run.
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.goto(`${hub.url}/login`);
  const root = page.locator('html');
  await expect(root).toHaveAttribute('data-theme', 'dark');
  await expect(root).toHaveAttribute('lang', 'zh-CN');
  await expect(root).toHaveAttribute('data-font', 'serif');
  await expect(root).toHaveAttribute('data-corners', '20');
  await expect(page.locator('.splash')).toBeVisible();
  await expect(page.locator('link[rel=modulepreload][href*="/texts-"]')).toHaveCount(1);
});

test('build files are cached for a year and compressed, the page is revalidated', async ({ request, hub }) => {
  const page = await request.get(`${hub.url}/login`, { headers: { 'accept-encoding': 'br' } });
  expect(page.headers()['cache-control']).toBe('no-cache');
  expect(page.headers()['content-encoding']).toBe('br');
  const [script = ''] = /\/assets\/app-[\w-]+\.js/.exec(await page.text()) ?? [];
  const file = await request.get(hub.url + script, { headers: { 'accept-encoding': 'br, gzip' } });
  expect(file.headers()['cache-control']).toContain('immutable');
  expect(file.headers()['content-encoding']).toBe('br');
});
