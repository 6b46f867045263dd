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
    await page.getByRole('button', { name: 'Switch to dark theme' }).click();
    await expect(root).toHaveAttribute('data-theme', 'dark');
    await expect.poll(() => stored(page, 'theme')).toBe('dark');
    await page.reload();
    await expect(page.getByRole('button', { name: 'Switch to light theme' })).toBeVisible();
    await expect(root).toHaveAttribute('data-theme', 'dark');
  });
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
    await expect.poll(() => stored(page, 'appLanguage')).toBe('ja_JP');
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
    await expect.poll(() => stored(page, 'aff')).toBe(code);
    await expect(page.getByRole('main').getByText(code)).toBeVisible();
  }
});
