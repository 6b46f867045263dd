import type { Page } from '@playwright/test';
import { callsOf, expect, signIn, test } from './hub.ts';
import { settled } from './watch.ts';

/** What stands around every screen: bars, sidebar, breadcrumb, ways in and out, and the measures of all of it. */
const phone = { width: 390, height: 844 };
const clerk = { username: 'shell_clerk', password: 'a-password-of-clerk' };

/** Expects of a measure of the first element that is found what becomes true. */
const measured = (page: Page, selector: string, side: 'x' | 'width' | 'height') =>
  expect.poll(async () => (await page.locator(selector).first().boundingBox())?.[side], `${side} of ${selector}`);
const menu = (page: Page) => page.getByRole('navigation', { name: 'Main menu' });
const site = (page: Page) => page.getByRole('navigation', { name: 'Site' });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

test.describe('measures', () => {
  test('the console is 260 of sidebar and at most 1400 of content', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.setViewportSize({ width: 1920, height: 900 });
    await page.goto('/panel/token');
    await heading(page, 'Tokens').waitFor();
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
    await expect.poll(hasFont).toBe(true);
    await expect(page.locator('aside .rounded-card')).toHaveCSS('border-radius', '12px');
  });
});

test.describe('ways', () => {
  test('who is not signed in is sent to the sign-in page and comes back to the page asked for', async ({
    page,
    hub,
  }) => {
    await page.goto('/panel/token?keyword=abc');
    await expect(page).toHaveURL(/\/login\?redirect=/);
    await page.getByLabel('User name or e-mail').fill('root');
    await page.getByLabel('Password', { exact: true }).fill(hub.rootPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page).toHaveURL(`${hub.url}/panel/token?keyword=abc`);
  });

  test('signing in leads to /panel, which shows the dashboard; who is signed in needs no sign-in page', async ({
    page,
    hub,
  }) => {
    await page.goto('/login');
    await page.getByLabel('User name or e-mail').fill('root');
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
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await expect(page).toHaveURL(`${hub.url}/panel/profile`);
    await page.getByRole('button', { name: 'Account: root' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(`${hub.url}/`);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('user'))).toBeNull();
    await page.goto('/panel');
    await expect(page).toHaveURL(/\/login/);
  });

  test('the logo leads home', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.goto('/panel/token');
    await page.locator('aside').getByRole('link', { name: 'Relay Hub' }).click();
    await expect(page).toHaveURL(`${hub.url}/`);
  });

  test('an address that leads nowhere says so, in the console and outside', async ({ page, context, hub }) => {
    await page.goto('/no-such-page');
    await expect(heading(page, 'There is no such page')).toBeVisible();
    await signIn(context, hub);
    await page.goto('/panel/no-such-page');
    await expect(heading(page, 'There is no such page')).toBeVisible();
    await page.getByRole('main').getByRole('link', { name: 'Console' }).click();
    await expect(page).toHaveURL(`${hub.url}/panel`);
  });

  test('/jump opens a chat client’s app, and follows no other address', async ({ page, context }) => {
    const wire = await context.newCDPSession(page);
    await wire.send('Page.enable');
    const asked: string[] = [];
    wire.on('Page.frameRequestedNavigation', ({ url }) => asked.push(url));
    const app = 'opencat://team/join?domain=https%3A%2F%2Fhub.example&token=sk-1';
    // The app is asked for while the page is still on its way, and that may keep a page from ever being told as loaded.
    await page.goto(`/jump?url=${encodeURIComponent(app)}`, { waitUntil: 'commit' });
    await expect(heading(page, 'Opening OpenCat…')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Open OpenCat' })).toHaveAttribute('href', app);
    await expect.poll(() => asked).toEqual([app]);
    for (const target of ['https://elsewhere.example/', 'javascript:document.title="run"', '//elsewhere.example', '']) {
      await page.goto(`/jump?url=${encodeURIComponent(target)}`);
      await expect(heading(page, 'This link is not valid')).toBeVisible();
      await expect(page.locator('main').getByRole('link')).toHaveAttribute('href', '/');
    }
    expect(asked).toEqual([app]);
    await expect(page).toHaveTitle('Relay Hub');
  });

  test('a new page begins at its top, smoothly unless the reader wants no motion', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.setViewportSize({ width: 1440, height: 400 });
    await context.addInitScript(() => {
      const asked: unknown[] = [];
      Object.assign(window, { asked });
      const scroll = window.scrollTo.bind(window);
      window.scrollTo = ((options: ScrollToOptions) => {
        asked.push(options);
        scroll(options);
      }) as typeof window.scrollTo;
    });
    const asked = () => page.evaluate(() => Reflect.get(window, 'asked') as ScrollToOptions[]);
    for (const [reducedMotion, behavior] of [
      ['no-preference', 'smooth'],
      ['reduce', 'instant'],
    ] as const) {
      await page.emulateMedia({ reducedMotion });
      await page.goto('/panel/profile');
      await heading(page, 'Profile').waitFor();
      await settled(page);
      await page.evaluate(() => document.documentElement.scrollTo({ top: 300, behavior: 'instant' }));
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(100);
      await menu(page).getByRole('link', { name: 'Tokens' }).click();
      await heading(page, 'Tokens').waitFor();
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
      await expect.poll(async () => (await asked()).at(-1)).toMatchObject({ top: 0, behavior });
    }
  });

  test('while a screen is on its way a bar runs along the top', async ({ page, context, hub }) => {
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
    await expect.poll(async () => (await bar.boundingBox())?.y).toBe(0);
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

test.describe('sidebar', () => {
  const forAdmins = ['Analytics', 'Users', 'Channels', 'Operation', 'Payment settings', 'Settings'];
  const forAll = ['Dashboard', 'Tokens', 'Profile', 'Top-up', 'Available models', 'Log'];

  test('an administrator has every entry, in four groups', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.goto('/panel');
    await expect(menu(page).getByRole('heading')).toHaveText(['Overview', 'Manage', 'Billing', 'Usage']);
    for (const name of [...forAll, ...forAdmins])
      await expect(menu(page).getByText(name, { exact: true })).toBeVisible();
    const group = (name: string) => menu(page).getByRole('region', { name }).getByRole('listitem');
    await expect(group('Overview')).toHaveText(['Dashboard', 'Analytics']);
    const managed = [
      'Users',
      'Channels',
      'Operation',
      'Payment settings',
      'Tokens',
      'Profile',
      'Audit log',
      'Settings',
    ];
    await expect(group('Manage')).toHaveText(managed);
    await expect(group('Billing')).toHaveText(['Top-up', 'Ledger', 'Available models', 'Books']);
    await expect(group('Usage')).toHaveText(['Log']);
  });

  test('a user without that role has only what is for everybody, and is told so at other addresses', async ({
    page,
    context,
    hub,
  }) => {
    const root = await callsOf(hub);
    await root.post('/api/user/', { data: { ...clerk, group: 'default' } });
    await root.dispose();
    await signIn(context, hub, clerk);
    await page.goto('/panel');
    for (const name of forAll) await expect(menu(page).getByText(name, { exact: true })).toBeVisible();
    for (const name of forAdmins) await expect(menu(page).getByText(name, { exact: true })).toHaveCount(0);
    for (const path of ['channel', 'user', 'analytics', 'pricing', 'setting', 'redemption', 'user_group']) {
      await page.goto(`/panel/${path}`);
      await expect(heading(page, 'You may not open this page')).toBeVisible();
    }
  });

  test('an entry that folds others away goes to the first of them, and marks where one is', async ({
    page,
    context,
    hub,
  }) => {
    await signIn(context, hub);
    await page.goto('/panel/token');
    const current = menu(page).locator('[aria-current=page]');
    await expect(current).toHaveText('Tokens');
    const folds = [
      { name: 'Operation', first: 'User groups', path: 'user_group', rest: ['Model prices', 'Model ownership'] },
      { name: 'Payment settings', first: 'Redemption codes', path: 'redemption', rest: [] },
    ];
    for (const { name, first, path, rest } of folds) {
      const fold = menu(page).getByRole('button', { name });
      await expect(fold).toHaveAttribute('aria-expanded', 'false');
      await fold.click();
      await expect(fold).toHaveAttribute('aria-expanded', 'true');
      await expect(page).toHaveURL(new RegExp(`/panel/${path}$`));
      // While the screen is on its way, the one that is left is still marked too.
      await expect(current).toHaveCount(1);
      await expect(current).toHaveText(first);
      const parent = menu(page)
        .getByRole('listitem')
        .filter({ has: page.getByRole('button', { name }) });
      const children = parent.getByRole('listitem');
      await expect(children).toHaveText([first, ...rest]);
    }
    await page.goto('/panel/pricing');
    await expect(menu(page).getByRole('button', { name: 'Operation' })).toHaveAttribute('aria-expanded', 'true');
    await expect(current).toHaveText('Model prices');
    await page.goto('/panel/channel?edit=new');
    await expect(page.locator('aside [aria-current=page]')).toHaveText('Channels');
  });

  test('says in red what of the menu it cannot place', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.route('**/assets/*.js', async (route) => {
      const script = await (await route.fetch()).text();
      const faulty = script
        .replace(/(parent:["'`])paySetting/, '$1noSuchParent')
        .replace(/(group:["'`])usage(["'`],order:10,titleKey:["'`]log)/, '$1noSuchGroup$2');
      await route.fulfill({ contentType: 'text/javascript', body: faulty });
    });
    await page.goto('/panel/token');
    for (const text of ['Menu Items Error', 'Menu group error'])
      await expect(menu(page).getByText(text, { exact: true })).toHaveCSS('color', 'rgb(180, 35, 24)');
    await expect(menu(page).getByRole('heading')).toHaveText(['Overview', 'Manage', 'Billing']);
    await expect(menu(page).getByText('Tokens', { exact: true })).toBeVisible();
  });

  test('ends with who is signed in, whose picture leads to the profile, and with the version', async ({
    page,
    context,
    hub,
  }) => {
    await signIn(context, hub);
    await page.goto('/panel/token');
    const side = page.locator('aside');
    await expect(side.getByText('root', { exact: true })).toBeVisible();
    await expect(side.getByText('Welcome back')).toBeVisible();
    await expect(side.getByLabel('Version v0.14.8')).toHaveText('v0.14.8');
    await side.locator('a[href="/panel/profile"]').last().click();
    await expect(page).toHaveURL(/\/panel\/profile$/);
  });

  test('is hidden and shown again, and stays as it was chosen', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.goto('/panel/token');
    await page.getByRole('button', { name: 'Hide sidebar' }).click();
    await expect(page.locator('aside')).toHaveCount(0);
    await page.reload();
    await page.getByRole('button', { name: 'Show sidebar' }).click();
    await expect(page.locator('aside')).toBeVisible();
  });

  test('on a phone it lies over the page and closes when an entry is chosen', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.setViewportSize(phone);
    await page.goto('/panel/token');
    const drawer = page.getByRole('dialog', { name: 'Main menu' });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await expect(drawer.getByText('v0.14.8')).toBeVisible();
    await drawer.getByRole('link', { name: 'Log', exact: true }).click();
    await expect(page).toHaveURL(/\/panel\/log/);
    await expect(drawer).toHaveCount(0);
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.keyboard.press('Escape');
    await expect(drawer).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Open menu' })).toBeFocused();
  });
});

test('the breadcrumb tells home, group, parent and screen', async ({ page, context, hub }) => {
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
  test('has the pages and the way in, or the console and the account', async ({ page, context, hub }) => {
    await page.goto('/');
    await expect(site(page).getByRole('link')).toHaveText(['Home', 'Price', 'About']);
    const bar = page.getByRole('banner');
    await expect(bar.getByRole('button', { name: 'Announcement' })).toBeVisible();
    await expect(bar.getByRole('button', { name: /Switch to .* theme/ })).toBeVisible();
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
    await expect(site(page).getByRole('link')).toHaveText(['Home', 'Price', 'About']);
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

test('the ways to an account are hidden where nobody may make one', async ({ page }) => {
  const answering = (register_enabled: boolean) =>
    page.route('**/api/status', async (route) => {
      const answer = await route.fetch();
      const told = (await answer.json()) as { data: object };
      await route.fulfill({ json: { ...told, data: { ...told.data, register_enabled } } });
    });
  const ways = page.locator('a[href="/register"]');
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
