import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, signIn, test } from './hub.ts';

const publicPages = [
  '/',
  '/about',
  '/price',
  '/login',
  '/register',
  '/reset',
  '/user/reset',
  '/user/reset?email=a%40example.org&token=stale',
  '/oauth/github',
  '/oauth/oidc',
  '/oauth/lark',
  '/404',
  '/no-such-page',
];
const panelPages = [
  '/panel',
  '/panel/dashboard',
  '/panel/analytics',
  '/panel/channel',
  '/panel/channel?edit=new',
  '/panel/token',
  '/panel/token?edit=new',
  '/panel/log',
  '/panel/redemption',
  '/panel/redemption?edit=new',
  '/panel/topup',
  '/panel/ledger',
  '/panel/books',
  '/panel/audit',
  '/panel/user',
  '/panel/user?edit=new',
  '/panel/user_group',
  '/panel/user_group?edit=new',
  '/panel/profile',
  '/panel/pricing',
  '/panel/pricing?view=merged',
  '/panel/pricing?edit=gpt-4o',
  '/panel/pricing?open=update',
  '/panel/pricing?open=changes',
  '/panel/model_price',
  '/panel/setting',
  '/panel/setting?tab=system',
  '/panel/setting?tab=other',
  '/panel/setting?history=all',
  '/panel/model_ownedby',
  '/panel/model_ownedby?edit=new',
  '/panel/404',
];

// Each of them stands for itself, and there are many: all workers take some.
test.describe.configure({ mode: 'parallel', timeout: 120_000 });

const [desk, phone] = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
/** A page with something of its own open. On the phone that is the same, only full. */
const isOpened = (address: string): boolean => /^\/panel.*\?/.test(address);

for (const address of [...publicPages, ...panelPages]) {
  test(`${address} on desk and phone: axe finds nothing in either theme, nothing comes from elsewhere or scrolls sideways`, async ({
    page,
    context,
    hub,
  }) => {
    if (address.startsWith('/panel')) await signIn(context, hub);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(desk);
    const foreign: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(hub.url) && !request.url().startsWith('data:')) foreign.push(request.url());
    });
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(address);
    await page.getByRole('heading').first().waitFor({ state: 'attached' });
    await page.waitForTimeout(400); // whatever slides in has done so
    await inEitherTheme(page, desk);
    if (!isOpened(address)) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(phone);
      await page.waitForTimeout(400);
      await inEitherTheme(page, phone);
    }
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
  });
}

/** Nothing to object to in light and in dark, and nothing to scroll sideways. */
async function inEitherTheme(page: Page, { width }: typeof desk): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.waitForTimeout(250); // colours pass into each other
  expect(await violationsOf(page, ['color-contrast', 'link-in-text-block'])).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
}

/** What axe objects to; `rules`: only these, where the rest cannot have changed. */
async function violationsOf(page: Page, rules?: string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

test('an ended session leads to the sign-in and back', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.goto('/panel/token');
  await expect(page.getByRole('heading', { name: 'Tokens' })).toBeVisible();
  await context.clearCookies();
  await page.getByRole('link', { name: 'Log', exact: true }).click();
  await expect(page).toHaveURL(/\/login/);
  await page.getByLabel('User name or e-mail').fill('root');
  await page.getByLabel('Password', { exact: true }).fill(hub.rootPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/panel\/log/);
});
