import type { Page } from '@playwright/test';
import { productVersion } from '../server/src/version.ts';
import { expect, signIn, test, withoutFirstReplies } from './hub.ts';
import { heading, menu, phone } from './parts.ts';
import { settled } from './page-helpers.ts';

/* Layout and navigation around every screen: bars, breadcrumb, sign-in and sign-out. */

/** Polls a measure of the first matching element. */
const measured = (page: Page, selector: string, side: 'x' | 'width' | 'height') =>
  expect.poll(async () => (await page.locator(selector).first().boundingBox())?.[side], `${side} of ${selector}`);
const site = (page: Page) => page.getByRole('navigation', { name: 'Site' });

test.describe('measures', () => {
  test('the console is 260 of sidebar and, in forms, at most 1400 of content', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.setViewportSize({ width: 1920, height: 900 });
    await page.goto('/panel/profile');
    await heading(page, 'Profile').waitFor();
    await measured(page, 'aside', 'width').toBe(260);
    // Menu and user card; above them the bar, below them the version.
    await measured(page, 'aside > div:has(nav)', 'height').toBe(900 - 88);
    await measured(page, 'main', 'width').toBe(1400);
    await measured(page, 'header', 'height').toBe(56);
    // Three steps of eight pixels.
    await measured(page, 'header nav', 'x').toBe(260 + 24);
  });

  test('on a phone the menu is as high as the page without its bar', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.setViewportSize(phone);
    await page.goto('/panel/token');
    await page.getByRole('button', { name: 'Open menu' }).click();
    await menu(page).waitFor();
    await measured(page, '[role=dialog] div:has(> nav)', 'height').toBe(phone.height - 56);
  });

  for (const address of ['/', '/about', '/price', '/login'])
    test(`${address} is at most 1200 wide with 24 at its sides`, async ({ page }) => {
      await page.setViewportSize({ width: 1920, height: 900 });
      await page.goto(address);
      await settled(page);
      await measured(page, 'main', 'width').toBe(1200);
      await measured(page, 'main', 'x').toBeCloseTo((1920 - 1200) / 2, 0);
      const sides = await page.locator('main').evaluate((main) => {
        const { paddingLeft, paddingRight } = getComputedStyle(main);
        return [paddingLeft, paddingRight];
      });
      expect(sides).toEqual(['24px', '24px']);
    });

  test('letters are Roboto from this server, cards have round corners of 12', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.goto('/panel/dashboard');
    await page.getByRole('heading').first().waitFor();
    await expect(page.locator('body')).toHaveCSS('font-family', /^"?Roboto/);
    const hasFont = () =>
      page.evaluate(() => document.fonts.check('14px "Roboto Variable"') && document.fonts.size > 0);
    await expect.poll(hasFont, 'the font is loaded').toBe(true);
    await expect(page.locator('aside .rounded-card')).toHaveCSS('border-radius', '12px');
  });
});

test.describe('ways', () => {
  test('a visitor is sent to the sign-in page and returns to the requested page afterwards', async ({ page, hub }) => {
    await page.goto('/panel/token?keyword=abc');
    await expect(page).toHaveURL(/\/login\?redirect=/);
    await page.getByLabel('Username or email').fill('root');
    await page.getByLabel('Password', { exact: true }).fill(hub.rootPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page).toHaveURL(`${hub.url}/panel/token?keyword=abc`);
  });

  test('signing in leads to the dashboard at /panel; signed-in users skip the sign-in page', async ({ page, hub }) => {
    await page.goto('/login');
    await page.getByLabel('Username or email').fill('root');
    await page.getByLabel('Password', { exact: true }).fill(hub.rootPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page).toHaveURL(`${hub.url}/panel`);
    await expect(menu(page).getByRole('link', { name: 'Dashboard' })).toHaveAttribute('aria-current', 'page');
    await page.goto('/login');
    await expect(page).toHaveURL(`${hub.url}/panel`);
  });

  test('the account’s menu leads to the profile and out; out is home, and the user is forgotten', async ({
    page,
    context,
    hub,
  }) => {
    await signIn(context, hub);
    await page.goto('/panel/log');
    await page.getByRole('button', { name: 'Account: root' }).click();
    await page.getByRole('menuitem', { name: 'Profile settings' }).click();
    await expect(page).toHaveURL(`${hub.url}/panel/profile`);
    await page.getByRole('button', { name: 'Account: root' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(`${hub.url}/`);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('user')), 'stored user').toBeNull();
    await page.goto('/panel');
    await expect(page).toHaveURL(/\/login/);
  });

  test('the logo leads home', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.goto('/panel/token');
    await page.locator('aside').getByRole('link', { name: 'Relay Hub' }).click();
    await expect(page).toHaveURL(`${hub.url}/`);
  });

  test('an unknown address shows a not-found page, in the console and outside', async ({ page, context, hub }) => {
    await page.goto('/no-such-page');
    await expect(heading(page, 'Page not found')).toBeVisible();
    await signIn(context, hub);
    await page.goto('/panel/no-such-page');
    await expect(heading(page, 'Page not found')).toBeVisible();
    await page.getByRole('main').getByRole('link', { name: 'Console' }).click();
    await expect(page).toHaveURL(`${hub.url}/panel`);
  });

  test('/jump opens a chat client’s app, and follows no other address', async ({ page, context }) => {
    const wire = await context.newCDPSession(page);
    await wire.send('Page.enable');
    const requests: string[] = [];
    wire.on('Page.frameRequestedNavigation', ({ url }) => requests.push(url));
    const app = 'opencat://team/join?domain=https%3A%2F%2Fhub.example&token=sk-1';
    // The app opens while the page is loading, and the page may never finish loading.
    await page.goto(`/jump?url=${encodeURIComponent(app)}`, { waitUntil: 'commit' });
    await expect(heading(page, 'Opening OpenCat…')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Open OpenCat' })).toHaveAttribute('href', app);
    await expect.poll(() => requests, 'opened apps').toEqual([app]);
    for (const target of ['https://elsewhere.example/', 'javascript:document.title="run"', '//elsewhere.example', '']) {
      await page.goto(`/jump?url=${encodeURIComponent(target)}`);
      await expect(heading(page, 'This link is not valid')).toBeVisible();
      await expect(page.locator('main').getByRole('link')).toHaveAttribute('href', '/');
    }
    expect(requests).toEqual([app]);
    await expect(page).toHaveTitle('Relay Hub');
  });

  test('a new page scrolls to its top, smoothly unless the user prefers reduced motion', async ({
    page,
    context,
    hub,
  }) => {
    await signIn(context, hub);
    await page.setViewportSize({ width: 1440, height: 400 });
    await context.addInitScript(() => {
      const requests: unknown[] = [];
      Object.assign(window, { requests });
      const scroll = window.scrollTo.bind(window);
      window.scrollTo = ((options: ScrollToOptions) => {
        requests.push(options);
        scroll(options);
      }) as typeof window.scrollTo;
    });
    const requests = () => page.evaluate(() => Reflect.get(window, 'requests') as ScrollToOptions[]);
    for (const [reducedMotion, behavior] of [
      ['no-preference', 'smooth'],
      ['reduce', 'instant'],
    ] as const) {
      await page.emulateMedia({ reducedMotion });
      await page.goto('/panel/profile');
      await heading(page, 'Profile').waitFor();
      await settled(page);
      await page.evaluate(() => document.documentElement.scrollTo({ top: 300, behavior: 'instant' }));
      await expect.poll(() => page.evaluate(() => scrollY), 'scrolled by').toBeGreaterThan(100);
      await menu(page).getByRole('link', { name: 'Tokens' }).click();
      await heading(page, 'Tokens').waitFor();
      await expect.poll(() => page.evaluate(() => scrollY), 'scrolled by').toBe(0);
      await expect.poll(async () => (await requests()).at(-1), 'last scrolling').toMatchObject({ top: 0, behavior });
    }
  });

  test('a progress bar runs along the top while a screen loads', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.goto('/panel/token');
    await heading(page, 'Tokens').waitFor();
    await page.waitForLoadState('networkidle');
    const held: (() => void)[] = [];
    await page.route('**/assets/**', async (route) => {
      await new Promise<void>((go) => held.push(go));
      await route.continue();
    });
    const bar = page.getByRole('progressbar', { name: 'Loading' });
    await expect(bar).toHaveCount(0);
    await menu(page).getByRole('link', { name: 'Audit log' }).click();
    await expect(bar).toBeVisible();
    await expect.poll(async () => (await bar.boundingBox())?.y, 'top of the bar').toBe(0);
    const letGo = setInterval(() => held.splice(0).forEach((go) => go()), 50);
    try {
      await heading(page, 'Audit log').waitFor();
      await expect(bar).toHaveCount(0);
    } finally {
      clearInterval(letGo);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    }
  });
});

test('the breadcrumb shows home, group, parent and screen', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.goto('/panel/pricing');
  const crumbs = page.getByRole('navigation', { name: 'You are here' });
  await expect(crumbs.getByRole('listitem').filter({ hasText: /\w/ })).toHaveText([
    /Manage/,
    /Operation/,
    /Model prices/,
  ]);
  await expect(crumbs.locator('[aria-current=page]')).toHaveText(['Model prices']);
  await crumbs.getByRole('link', { name: 'Dashboard' }).click();
  await expect(page).toHaveURL(/\/panel$/);
  await expect(crumbs.locator('span[aria-current=page]')).toHaveText('Dashboard');
});

test.describe('the public bar', () => {
  test('has the public pages, and sign-in or console and account', async ({ page, context, hub }) => {
    await page.goto('/');
    await expect(site(page).getByRole('link')).toHaveText(['Home', 'Pricing', 'About']);
    const bar = page.getByRole('banner');
    await expect(bar.getByRole('button', { name: 'Announcement' })).toBeVisible();
    await expect(bar.getByRole('button', { name: 'Appearance' })).toBeVisible();
    await expect(bar.getByRole('button', { name: 'Language' })).toBeVisible();
    await expect(bar.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/login');
    await signIn(context, hub);
    await page.goto('/about');
    await expect(bar.getByRole('link', { name: 'Console' })).toHaveAttribute('href', '/panel');
    await expect(bar.getByRole('button', { name: 'Account: root' })).toBeVisible();
    await expect(bar.getByRole('link', { name: 'Sign in' })).toHaveCount(0);
  });

  test('folds away on a phone', async ({ page, context, hub }) => {
    await page.setViewportSize(phone);
    await page.goto('/');
    await expect(site(page)).toHaveCount(0);
    await page.getByRole('button', { name: 'Open menu' }).click();
    await expect(site(page).getByRole('link')).toHaveText(['Home', 'Pricing', 'About']);
    const bar = page.getByRole('banner');
    await expect(bar.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/login');
    await expect(bar.getByRole('link', { name: 'Console' })).toHaveCount(0);
    await site(page).getByRole('link', { name: 'About' }).click();
    await expect(page).toHaveURL(/\/about$/);
    await expect(site(page)).toHaveCount(0);
    await signIn(context, hub);
    await page.reload();
    await page.getByRole('button', { name: 'Open menu' }).click();
    await expect(bar.getByRole('link', { name: 'Console' })).toHaveAttribute('href', '/panel');
    await expect(bar.getByRole('link', { name: 'Sign in' })).toHaveCount(0);
  });
});

test('registration links are hidden while registration is closed', async ({ page }) => {
  const answering = (register_enabled: boolean) =>
    page.route('**/api/status', async (route) => {
      const answer = await route.fetch();
      const reply = (await answer.json()) as { data: object };
      await route.fulfill({ json: { ...reply, data: { ...reply.data, register_enabled } } });
    });
  const ways = page.locator('a[href="/register"]');
  await withoutFirstReplies(page);
  await answering(true);
  await page.goto('/login');
  await expect(ways).toHaveText(['Register', 'Register']);
  await answering(false);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(ways).toHaveCount(0);
  await page.setViewportSize(phone);
  await page.getByRole('button', { name: 'Open menu' }).click();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible();
  await expect(ways).toHaveCount(0);
});

test('the footer has name, version, credits and licence, or the operator’s words', async ({ page, context, hub }) => {
  await page.goto('/about');
  const footer = page.getByRole('contentinfo');
  await expect(footer).toContainText('Relay Hub v0.14.8');
  await footer.getByText('v0.14.8').hover();
  await expect(page.getByRole('tooltip')).toHaveText(`Relay Hub ${productVersion}`);
  for (const [name, address] of [
    ['MartialBE', 'https://github.com/MartialBE/one-hub'],
    ['JustSong', 'https://github.com/songquanpeng/one-api'],
    ['MIT licence', 'https://opensource.org/license/mit'],
  ] as const)
    await expect(footer.getByRole('link', { name })).toHaveAttribute('href', address);
  await signIn(context, hub);
  const set = (value: string | null) =>
    context.request.put(`${hub.url}/api/option/batch`, { data: { values: { Footer: value } } });
  expect((await set('<b>Our own footer</b>')).ok()).toBe(true);
  try {
    await page.goto('/');
    await expect(footer.getByText('Our own footer')).toBeVisible();
    await expect(footer.getByText('MartialBE')).toHaveCount(0);
  } finally {
    await set(null);
  }
});
