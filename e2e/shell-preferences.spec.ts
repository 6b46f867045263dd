import type { BrowserContext, Page } from '@playwright/test';
import { expect, signIn, test } from './hub.ts';

/** Theme and language: default, choice, and storage. */
const lang = (page: Page) => page.locator('html');
const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);

test.describe('theme', () => {
  test('follows the system until one is chosen, and the choice stays', async ({ page, context, hub }) => {
    await signIn(context, hub);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto('/panel/token');
    const root = page.locator('html');
    await expect(root).toHaveAttribute('data-theme', 'dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect(root).toHaveAttribute('data-theme', 'light');
    expect(await stored(page, 'theme')).toBeNull();
    await page.getByRole('button', { name: 'Appearance' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await expect(root).toHaveAttribute('data-theme', 'dark');
    await expect.poll(() => stored(page, 'theme'), 'stored theme').toBe('dark');
    await page.reload();
    await expect(page.getByRole('button', { name: 'Appearance' })).toBeVisible();
    await expect(root).toHaveAttribute('data-theme', 'dark');
  });
});

test('font and corners are chosen by keyboard, kept, shared with other tabs, and reset', async ({ page, context }) => {
  const fetched: string[] = [];
  await page.goto('/login');
  await page.waitForLoadState('networkidle');
  page.on('request', (request) => request.resourceType() === 'font' && fetched.push(request.url()));
  const other = await context.newPage();
  await other.goto('/login');
  const card = page.getByRole('main').locator('.rounded-card').first();
  const look = async () => [
    await page.locator('html').evaluate((html) => getComputedStyle(html).fontFamily.split(',')[0]),
    await card.evaluate((each) => getComputedStyle(each).borderRadius),
  ];
  expect(await look()).toEqual(['"Roboto Variable"', '12px']);

  await page.getByRole('button', { name: 'Appearance' }).press('Enter');
  const option = (name: string) => page.getByRole('menuitemradio', { name, exact: true });
  await expect(option('Light')).toBeFocused();
  const to = async (name: string) => {
    for (let presses = 0; presses < 12; presses++) {
      if (await option(name).evaluate((each) => each === document.activeElement)) break;
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
    await expect(option(name)).toHaveAttribute('aria-checked', 'true');
  };
  await to('Serif');
  await to('Square');
  expect(await look()).toEqual(['Georgia', '0px']);
  expect([await stored(page, 'fontFamily'), await stored(page, 'borderRadius')]).toEqual(['serif', '0']);
  await expect(other.locator('html')).toHaveAttribute('data-font', 'serif');
  await expect(other.locator('html')).toHaveAttribute('data-corners', '0');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Appearance' })).toBeFocused();
  expect(fetched, 'the other fonts are the system’s').toEqual([]);

  await page.reload();
  await card.waitFor();
  expect(await look()).toEqual(['Georgia', '0px']);
  await page.getByRole('button', { name: 'Appearance' }).click();
  await page.getByRole('menuitem', { name: 'Reset to defaults' }).click();
  await expect.poll(look, 'font and corners').toEqual(['"Roboto Variable"', '12px']);
  expect([await stored(page, 'fontFamily'), await stored(page, 'borderRadius')]).toEqual([null, null]);

  // Unknown stored values are ignored.
  await page.evaluate(() => {
    localStorage.setItem('fontFamily', 'url(https://fonts.example)');
    localStorage.setItem('borderRadius', '-999');
  });
  await page.reload();
  await card.waitFor();
  expect(await look()).toEqual(['"Roboto Variable"', '12px']);
});

test.describe('language', () => {
  test('the menu offers four, each in its own name; a choice is remembered for later visits', async ({
    page,
    context,
    hub,
  }) => {
    await signIn(context, hub);
    await page.goto('/panel/token');
    await page.getByRole('button', { name: 'Language' }).click();
    const offered = page.getByRole('menuitemradio');
    await expect(offered).toHaveText(['简体中文', '繁體中文', 'English', '日本語']);
    await expect(page.getByRole('menuitemradio', { name: 'English', exact: true })).toHaveAttribute(
      'aria-checked',
      'true',
    );
    await page.getByRole('menuitemradio', { name: '日本語' }).click();
    await expect(lang(page)).toHaveAttribute('lang', 'ja-JP');
    await expect.poll(() => stored(page, 'appLanguage'), 'stored language').toBe('ja_JP');
    const cookie = (await context.cookies()).find(({ name }) => name === 'appLanguage');
    expect(cookie).toMatchObject({ value: 'ja_JP', sameSite: 'Strict' });
    const minutes = ((cookie?.expires ?? 0) * 1000 - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(1);
    expect(minutes).toBeLessThan(60);
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(lang(page)).toHaveAttribute('lang', 'ja-JP');
  });

  test('is found in the address, then the cookie, local storage, session storage, the browser', async ({
    page,
    context,
    hub,
  }) => {
    await page.goto('/about');
    await page.evaluate(() => sessionStorage.setItem('appLanguage', 'zh_CN'));
    const open = async (address: string, expected: string) => {
      await page.goto(address);
      await page.getByRole('heading').first().waitFor();
      await expect(lang(page)).toHaveAttribute('lang', expected);
    };
    const put = (value: string | null) =>
      page.evaluate((code) => {
        if (code === null) localStorage.removeItem('appLanguage');
        else localStorage.setItem('appLanguage', code);
      }, value);
    const setCookie = () => context.addCookies([{ name: 'appLanguage', value: 'zh_HK', url: hub.url }]);

    await put('ja_JP');
    await setCookie();
    await open('/about?lng=en_US', 'en-US');
    await put('ja_JP');
    await setCookie();
    await open('/about', 'zh-HK');
    await context.clearCookies();
    await open('/about', 'ja-JP');
    await put(null);
    await open('/about', 'zh-CN');
    await page.evaluate(() => sessionStorage.removeItem('appLanguage'));
    await open('/about', 'en-US');
  });

  async function newcomer(context: BrowserContext, locale: string, url: string): Promise<Page> {
    const other = await context.browser()!.newContext({ locale, baseURL: url });
    const page = await other.newPage();
    await page.goto('/login');
    await page.getByRole('heading').first().waitFor();
    return page;
  }

  test('is Simplified Chinese by default, or the language of the site', async ({ context, hub }) => {
    const stranger = await newcomer(context, 'fr-FR', hub.url);
    await expect(lang(stranger)).toHaveAttribute('lang', 'zh-CN');
    await expect(stranger.getByRole('button', { name: '登录' })).toBeVisible();
    await stranger.context().close();

    await signIn(context, hub);
    const set = (value: string | null) =>
      context.request.put(`${hub.url}/api/option/batch`, { data: { values: { Language: value } } });
    try {
      expect((await set('ja_JP')).ok()).toBe(true);
      const later = await newcomer(context, 'fr-FR', hub.url);
      await expect(lang(later)).toHaveAttribute('lang', 'ja-JP');
      await later.context().close();
      const british = await newcomer(context, 'en-GB', hub.url);
      await british.waitForLoadState('networkidle');
      await expect(lang(british)).toHaveAttribute('lang', 'en-US');
      await british.context().close();
    } finally {
      await set(null);
    }
  });
});

test('an invitation is kept under "aff" until a registration uses it', async ({ page }) => {
  // The second code could be parsed as a number.
  for (const code of ['AbCd', '4827']) {
    await page.goto(`/register?aff=${code}`);
    await page.getByRole('heading').first().waitFor();
    await expect.poll(() => stored(page, 'aff'), 'stored invitation').toBe(code);
    await expect(page.getByRole('main').getByText(code)).toBeVisible();
  }
});
