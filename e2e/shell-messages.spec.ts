import type { Locator, Page, Route } from '@playwright/test';
import { fits } from './axe.ts';
import { callsOf, expect, signIn, test, withoutFirstReplies } from './hub.ts';
import { expectToast, inPanel, recordToasts, settled } from './page-helpers.ts';
import { LAN_HOST } from './playwright.config.ts';

/** Messages of the console: toasts, the announcement, a new version, an unreachable server. */
test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const messages = (page: Page) => page.getByRole('region', { name: 'Messages' });
const toasts = (page: Page) => messages(page).getByRole('button', { name: 'Dismiss' });

const failing = (status: number, message = '') => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify({ success: false, message }),
});

type Answer = (route: Route) => Promise<void>;

const account = (page: Page) => page.getByRole('button', { name: 'Account: root' });
const wayOut = (page: Page) => page.getByRole('menuitem', { name: 'Sign out' });

/** Makes the request that signs out fail. */
async function failToSignOut(page: Page, answer: Answer): Promise<void> {
  await page.unroute('**/api/user/logout');
  await page.route('**/api/user/logout', answer);
  await account(page).click();
  await wayOut(page).click();
}

/** Dismisses the open toasts; some may close at the same time. */
async function dismissAll(page: Page): Promise<void> {
  await toasts(page).evaluateAll((all) => all.forEach((one) => (one as HTMLButtonElement).click()));
  await expect(toasts(page)).toHaveCount(0);
}

/** Waits until a toast is at its position. */
async function expectPosition(
  page: Page,
  text: string,
  isRight: (box: { middle: number; left: number; bottom: number }) => void,
) {
  const toast = messages(page).getByRole('alert').filter({ hasText: text });
  await expect(async () => {
    const { x, y, width, height } = (await toast.boundingBox({ timeout: 1000 }))!;
    isRight({ middle: x + width / 2, left: x, bottom: y + height });
  }).toPass({ timeout: 10_000 });
}

async function openTokens(page: Page): Promise<void> {
  await page.goto('/panel/token');
  await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor();
}

/** As in a frame that is not allowed to copy. */
const refuseClipboard = (page: Page) =>
  page.evaluate(() => {
    const refuse = () => Promise.reject(new DOMException('refused', 'NotAllowedError'));
    Object.assign(navigator.clipboard, { write: refuse, writeText: refuse });
    document.execCommand = () => false;
  });

async function copyKey(page: Page, token: string): Promise<void> {
  const row = page.getByRole('row').filter({ hasText: token });
  await row.hover();
  await row.getByRole('button', { name: /^Copy/ }).first().click();
}

test.describe('a call that fails', () => {
  test('shows the reason and stays on the page', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await openTokens(page);
    for (const [status, message, words] of [
      [429, '', 'Error: Too many requests. Try again later.'],
      [500, '', 'Error: Internal server error. Contact the administrator.'],
      [405, '', 'This is a demo site without a server.'],
      [418, '', 'Error: HTTP 418'],
      [500, 'The disk is full.', 'Error: The disk is full.'],
      [200, 'Not today.', 'Error: Not today.'],
      [200, '', 'Error: Unknown error'],
    ] as const)
      await test.step(`with ${status} and ${message ? 'words of the server' : 'no words'} is told of: ${words}`, async () => {
        await failToSignOut(page, (route) => route.fulfill(failing(status, message)));
        await expect(messages(page).getByText(words, { exact: true })).toBeVisible();
        // An error is an alert; the notice of demo mode is not.
        await expect(messages(page).getByRole('alert')).toHaveCount(status === 405 ? 0 : 1);
        await expect(page).toHaveURL(/\/panel\/token/);
        await dismissAll(page);
      });
  });

  test('with 401 empties the account, and leaves the open page under the sign-in dialog', async ({
    page,
    context,
    hub,
  }) => {
    await signIn(context, hub);
    await openTokens(page);
    await expect
      .poll(() => page.evaluate(() => localStorage.getItem('user')), 'stored user')
      .toContain('"username":"root"');
    await page.route('**/api/token/**', (route) => route.fulfill(failing(401, 'Please sign in.')));
    await page.getByRole('searchbox').fill('anything');
    await expect(page.getByRole('dialog', { name: 'Sign in again' })).toBeVisible();
    await expect.poll(() => page.evaluate(() => localStorage.getItem('user')), 'stored user').toBeNull();
    await expect(page).toHaveURL(/\/panel\/token/);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('searchbox')).toHaveValue('anything');
    await page.reload();
    await expect(page).toHaveURL(/\/login\?redirect=/);
  });

  test('without a reply says that the server is unreachable', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await openTokens(page);
    await failToSignOut(page, (route) => route.abort());
    await expect(
      messages(page).getByText('Could not reach the server. Check your connection and try again.'),
    ).toBeVisible();
  });
});

test.describe('toasts', () => {
  test('are at most three, and duplicates are shown once', async ({ page, context, hub }) => {
    await signIn(context, hub);
    const names = ['first', 'second', 'third', 'fourth'];
    for (const name of names) await context.request.post(`${hub.url}/api/token/`, { data: { name: `copy-${name}` } });
    await openTokens(page);
    await refuseClipboard(page);
    const inputs = messages(page).getByRole('textbox');
    // These toasts stay open until they are dismissed.
    for (let n = 0; n < 2; n++) await copyKey(page, 'copy-first');
    await expect(inputs).toHaveCount(1);
    const [oldest = ''] = await inputs.evaluateAll((all) => all.map((one) => (one as HTMLTextAreaElement).value));
    for (const name of names.slice(1)) await copyKey(page, `copy-${name}`);
    const values = () => inputs.evaluateAll((all) => all.map((one) => (one as HTMLTextAreaElement).value));
    await expect.poll(values, 'texts to copy').not.toContain(oldest);
    await expect(inputs).toHaveCount(3);
  });

  for (const [kind, status, stays] of [
    ['an error', 400, 5000],
    ['an info', 405, 3000],
  ] as const)
    test(`${kind} stays ${stays / 1000} s`, async ({ page, context, hub }) => {
      await signIn(context, hub);
      await openTokens(page);
      await settled(page);
      // The test advances the clock of the page, however long each step takes.
      await page.clock.install();
      await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
      const stepsUntil = (there: Locator) =>
        expect(async () => {
          await page.clock.runFor(100);
          await expect(there).toBeVisible({ timeout: 50 });
        }).toPass();
      await page.route('**/api/user/logout', (route) => route.fulfill(failing(status, 'Stay.')));
      await account(page).click();
      await stepsUntil(wayOut(page));
      await wayOut(page).click();
      await stepsUntil(toasts(page));
      await page.clock.runFor(stays - 1000);
      await expect(toasts(page)).toHaveCount(1);
      await page.clock.runFor(1500);
      // The time is over; the exit animation runs in the browser.
      await page.clock.resume();
      await expect(toasts(page)).toHaveCount(0);
    });

  test('wait while the focus is in them', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await openTokens(page);
    await settled(page);
    await page.clock.install();
    await failToSignOut(page, (route) => route.fulfill(failing(400, 'Wait.')));
    // A menu that closes returns the focus to its button.
    await expect(wayOut(page)).toHaveCount(0);
    await expect(account(page)).toBeFocused();
    await toasts(page).focus();
    await page.clock.runFor(60_000);
    await expect(toasts(page)).toBeFocused();
    await account(page).focus();
    await page.clock.runFor(60_000);
    await expect(toasts(page)).toHaveCount(0);
  });

  test('are at the bottom left, on a phone at the bottom centre', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await openTokens(page);
    await failToSignOut(page, (route) => route.fulfill(failing(400, 'Here.')));
    await expectPosition(page, 'Here.', ({ left, bottom }) => {
      expect(left).toBeLessThan(40);
      expect(bottom).toBeGreaterThan(900 - 40);
    });
    await dismissAll(page);
    for (const width of [390, 500, 599, 600]) {
      const text = `Here as well, at ${width}.`;
      await page.setViewportSize({ width, height: 844 });
      await page.getByRole('button', { name: 'Open menu' }).waitFor();
      await failToSignOut(page, (route) => route.fulfill(failing(400, text)));
      await expectPosition(page, text, ({ left, middle, bottom }) => {
        if (width < 600) expect(Math.abs(middle - width / 2), text).toBeLessThan(2);
        else expect(left, text).toBeLessThan(40);
        expect(bottom).toBeGreaterThan(844 - 40);
      });
      await dismissAll(page);
    }
  });

  test('come in within 225 ms and go within 195', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await openTokens(page);
    await page.evaluate(() => {
      const seen = new Set<string>();
      Object.assign(globalThis, { seen });
      document.addEventListener('transitionrun', ({ target, propertyName }) => {
        if (target instanceof HTMLElement && target.role === 'alert' && propertyName === 'opacity')
          seen.add(getComputedStyle(target).transitionDuration.replace(/,.*/, ''));
      });
    });
    const seen = () => page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen]);
    await failToSignOut(page, (route) => route.fulfill(failing(400, 'In and out.')));
    await expect(toasts(page)).toHaveCount(1);
    await expect.poll(seen, 'durations').toContain('0.225s');
    await dismissAll(page);
    await expect.poll(seen, 'durations').toContain('0.195s');
  });

  test('a copy is confirmed for a moment; without clipboard access the text stays open for copying by hand', async ({
    page,
    context,
    hub,
  }) => {
    await recordToasts(context);
    await signIn(context, hub);
    await context.request.post(`${hub.url}/api/token/`, { data: { name: 'to-copy' } });
    await openTokens(page);
    await copyKey(page, 'to-copy');
    await expectToast(page, /^Copied/);
    await expect(messages(page).getByText(/^Copied/)).toHaveCount(0);
    // Pasting needs no permission.
    await page.getByRole('searchbox').press('Control+v');
    await expect(page.getByRole('searchbox')).toHaveValue(/^sk-/);
    const copied = await page.getByRole('searchbox').inputValue();
    await page.getByRole('searchbox').fill('');

    await refuseClipboard(page);
    await page.clock.install();
    await copyKey(page, 'to-copy');
    await expect(messages(page).getByText('Could not copy. Select the text and copy it manually')).toBeVisible();
    await expect(messages(page).getByRole('textbox')).toHaveValue(copied);
    await page.clock.runFor(60_000);
    await expect(messages(page).getByRole('textbox')).toBeVisible();
    await toasts(page).click();
    await expect(messages(page).getByRole('textbox')).toHaveCount(0);
  });
});

test('signing in and copying work on plain HTTP, where browsers have no clipboard API and send no Sec-Fetch headers', async ({
  page,
  context,
  hub,
}) => {
  await recordToasts(context);
  const calls = await callsOf(hub);
  await calls.post('/api/token/', { data: { name: 'plain-http' } });
  await calls.dispose();
  const address = hub.url.replace('127.0.0.1', LAN_HOST);
  await page.goto(`${address}/login?next=/panel/token`);
  expect(await page.evaluate(() => [isSecureContext, 'clipboard' in navigator])).toEqual([false, false]);
  await page.getByLabel('Username or email').fill('root');
  await page.getByLabel('Password', { exact: true }).fill(hub.rootPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await inPanel(page);
  await page.goto(`${address}/panel/token`);
  await page.getByRole('searchbox').focus();
  await page.getByRole('button', { name: 'Create token' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Create token' });
  await drawer.getByLabel('Name', { exact: true }).fill('copied');
  await drawer.getByRole('button', { name: /Create token|Save/ }).click();
  // A dialog keeps the focus inside, and the text of this button is fetched before.
  const ready = page.getByRole('dialog', { name: 'Token copied is ready' });
  await ready.getByRole('button', { name: 'Copy token' }).click();
  await expectToast(page, /^Copied/);
  await ready.getByRole('button', { name: 'Done' }).click();
  const search = page.getByRole('searchbox');
  await search.press('Control+v');
  await expect(search).toHaveValue(/^sk-/);
  const first = await search.inputValue();
  await search.fill('');
  await copyKey(page, 'plain-http');
  await expectToast(page, /^Copied/);
  await search.press('Control+v');
  await expect(search).toHaveValue(/^sk-/);
  expect(await search.inputValue()).not.toBe(first);
});

test.describe('a server that cannot record calls', () => {
  for (const [storage, title] of [
    ['full', 'The storage of the server is full'],
    ['damaged', 'The database is damaged'],
  ] as const)
    test(`tells it to administrators on every page: ${storage}`, async ({ page, context, hub }) => {
      await signIn(context, hub);
      await withoutFirstReplies(page);
      await page.route('**/api/user/self', async (route) => {
        const response = await route.fetch();
        const reply = (await response.json()) as { data: object };
        return route.fulfill({ response, json: { ...reply, data: { ...reply.data, storage } } });
      });
      for (const path of ['/panel/dashboard', '/panel/token']) {
        await page.goto(path);
        await expect(page.getByRole('alert')).toContainText(`${title}All calls are refused`);
      }
      await fits(page);
    });
});

test('an operator’s content that fails to load is reported', async ({ page }) => {
  await withoutFirstReplies(page);
  await page.route('**/api/about', (route) => route.fulfill(failing(500)));
  await page.goto('/about');
  await expect(page.getByText('Could not load the about page.')).toBeVisible();
  await page.route('**/api/home_page_content', (route) => route.fulfill(failing(500)));
  await page.goto('/');
  await expect(messages(page).getByText('Could not load the home page.')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test('an announcement opens once automatically, and by its button at any time', async ({ page, context, hub }) => {
  await signIn(context, hub);
  const announce = (text: string | null) =>
    context.request.put(`${hub.url}/api/option/batch`, { data: { values: { Notice: text } } });
  const dialog = page.getByRole('dialog', { name: 'Announcement' });
  try {
    expect((await announce('**Maintenance** on Sunday')).ok()).toBe(true);
    await page.goto('/');
    await expect(dialog.getByText('Maintenance', { exact: true })).toHaveCSS('font-weight', /[5-7]00/);
    await expect
      .poll(() => page.evaluate(() => localStorage.getItem('notice')), 'stored announcement')
      .toBe('**Maintenance** on Sunday');
    await dialog.getByRole('button', { name: 'Got it' }).click();
    await expect(dialog).toHaveCount(0);

    await page.reload();
    await page.getByRole('heading').first().waitFor();
    await page.waitForLoadState('networkidle');
    await expect(dialog).toHaveCount(0);
    await page.getByRole('button', { name: 'Announcement' }).click();
    await expect(dialog.getByText('on Sunday')).toBeVisible();
    await dialog.getByRole('button', { name: 'Got it' }).click();

    expect((await announce('It is over')).ok()).toBe(true);
    await page.goto('/panel/token');
    await expect(dialog.getByText('It is over')).toBeVisible();

    // An empty announcement: the last one can be opened again.
    expect((await announce('')).ok()).toBe(true);
    await page.reload();
    await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await expect(dialog).toHaveCount(0);
    await page.getByRole('button', { name: 'Announcement' }).click();
    await expect(dialog.getByText('It is over')).toBeVisible();
  } finally {
    await announce(null);
  }
});

test.describe('site information', () => {
  test('is cached, and the cache is used with a notice while the server is unreachable', async ({
    page,
    context,
    hub,
  }) => {
    await signIn(context, hub);
    await openTokens(page);
    const kept = () => page.evaluate((): Record<string, string> => Object.fromEntries(Object.entries(localStorage)));
    await expect.poll(kept, 'local storage').toMatchObject({ quota_per_unit: '500000', display_in_currency: 'true' });
    const { siteInfo = '' } = await kept();
    expect(JSON.parse(siteInfo)).toMatchObject({ system_name: 'Relay Hub', quota_per_unit: 500_000 });
    await page.evaluate(() => {
      const site = JSON.parse(localStorage.getItem('siteInfo') ?? '{}') as object;
      localStorage.setItem('siteInfo', JSON.stringify({ ...site, system_name: 'Kept Hub' }));
    });
    await withoutFirstReplies(page);
    await page.route('**/api/status', (route) => route.abort());
    await page.reload();
    await expect(page.locator('aside').getByText('Kept Hub')).toBeVisible();
    await expect(
      messages(page).getByText('Could not reach the server. Check your connection and try again.'),
    ).toBeVisible();
  });

  test('is waited for where a page depends on it', async ({ page }) => {
    let tell = () => {};
    const mayTell = new Promise<void>((resolve) => (tell = resolve));
    await withoutFirstReplies(page);
    await page.route('**/api/status', async (route) => {
      await mayTell;
      await route.continue();
    });
    await page.goto('/register');
    await expect(page.locator('.splash')).toBeVisible();
    await expect(page.getByRole('textbox')).toHaveCount(0);
    tell();
    await expect(page.getByRole('textbox', { name: 'Username' })).toBeVisible();
    await expect(page.locator('.splash')).toHaveCount(0);
  });

  for (const kept of ['{', 'null', '[1]', '{"system_name":"Other","quota_per_unit":1}'])
    test(`that is broken, ${kept}, breaks no page`, async ({ page, context, hub }) => {
      await signIn(context, hub);
      await context.addInitScript((text) => localStorage.setItem('siteInfo', text), kept);
      for (const [address, title] of [
        ['/about', 'About'],
        ['/panel/token', 'Tokens'],
      ] as const) {
        await page.goto(address);
        await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
      }
      await expect
        .poll(() => page.evaluate(() => localStorage.getItem('siteInfo')), 'stored site')
        .toContain('Relay Hub');
    });

  test('without a cache and without the server the page says so, and loads once the server is back', async ({
    page,
  }) => {
    await withoutFirstReplies(page);
    await page.route('**/api/**', (route) => route.abort());
    await page.goto('/about');
    await expect(page.getByRole('heading', { name: 'Cannot reach the server', level: 1 })).toBeVisible();
    await expect(messages(page).getByText('Could not reach the server')).toHaveCount(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await fits(page);
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Retry now' }).click();
    await expect(page.getByRole('heading', { name: 'About', level: 1 })).toBeVisible();
  });

  for (const [version, hasTip] of [
    ['v0.14.8', false],
    ['v0.0.0', false],
    ['', false],
    ['v9.9.9', true],
  ] as const)
    test(`a server that says ${version || 'no version'} ${hasTip ? 'brings the tip to reload' : 'brings no tip'}`, async ({
      page,
    }) => {
      await withoutFirstReplies(page);
      await page.route('**/api/status', async (route) => {
        const answer = await route.fetch();
        const status = (await answer.json()) as { data: object };
        await route.fulfill({ json: { ...status, data: { ...status.data, version } } });
      });
      await page.goto('/about');
      await page.getByRole('heading').first().waitFor();
      const tip = messages(page).getByText('A new version is available. Reload the page (Shift+F5).');
      if (hasTip) return expect(tip).toBeVisible();
      await page.waitForLoadState('networkidle');
      await expect(tip).toHaveCount(0);
    });
});
