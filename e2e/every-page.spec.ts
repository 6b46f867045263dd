import type { Page } from '@playwright/test';
import { fits, isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, type Hub, signIn, test } from './hub.ts';
import { desk, phone } from './parts.ts';
import { settled } from './page-helpers.ts';

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
  '/jump?url=https://elsewhere.example',
  '/no-such-page',
  '/status',
  '/unsubscribe?token=stale',
];
const panelPages = [
  '/panel',
  '/panel/dashboard',
  '/panel/analytics',
  '/panel/usage',
  '/panel/channel',
  '/panel/channel?edit=new',
  '/panel/token',
  '/panel/token?edit=new',
  '/panel/token?scope=all',
  '/panel/log',
  '/panel/midjourney',
  '/panel/task',
  '/panel/redemption',
  '/panel/redemption?edit=new',
  '/panel/plan_sale',
  '/panel/plan_sale?edit=new',
  '/panel/payment',
  '/panel/payment?tab=gateways',
  '/panel/payment?tab=gateways&edit=new',
  '/panel/payment?tab=reconciliation',
  '/panel/topup',
  '/panel/ledger',
  '/panel/books',
  '/panel/audit',
  '/panel/user',
  '/panel/user?edit=new',
  '/panel/user/inviters',
  '/panel/user_group',
  '/panel/user_group?edit=new',
  '/panel/incident',
  '/panel/team',
  '/panel/teams',
  '/panel/topup/statement',
  '/panel/profile',
  '/panel/pricing',
  '/panel/pricing?view=merged',
  '/panel/pricing?edit=gpt-4o',
  '/panel/pricing?open=update',
  '/panel/pricing?open=changes',
  '/panel/model_price',
  '/panel/playground',
  '/panel/setting',
  '/panel/setting?tab=system',
  '/panel/setting?tab=other',
  '/panel/setting?history=all',
  '/panel/model_ownedby',
  '/panel/model_ownedby?edit=new',
  '/panel/system',
  '/panel/virtual_model',
  '/panel/virtual_model?edit=new',
  '/panel/guard',
  '/panel/guard?edit=new',
  '/panel/block',
  '/panel/block?edit=new',
  '/panel/announcement',
  '/panel/announcement?edit=new',
  '/panel/telegram',
  '/panel/telegram?edit=new',
  '/panel/404',
];

// Independent tests, so all workers share them.
test.describe.configure({ mode: 'parallel' });

/** Widths around the breakpoint of the menu; a desktop at 200 % and 400 % zoom. */
const between = [
  { width: 900, height: 700 },
  { width: 720, height: 450 },
  { width: 320, height: 640 },
];
/** Whether an address opens an overlay. */
const isOver = (address: string): boolean => /[?&](edit|open|history)=/.test(address);

/** Other tests use the hub, too: they expect no status page. */
async function set(hub: Hub, key: 'TopUpLink' | 'StatusPageEnabled', value: string): Promise<void> {
  const root = await callsOf(hub);
  expect(await (await root.put('/api/option/', { data: { key, value } })).json()).toMatchObject({ success: true });
  await root.dispose();
}

/** Axe finds nothing on desk and phone in either theme; nothing loads from other hosts, fails or scrolls sideways. */
async function isFine(page: Page, address: string, { url }: Hub): Promise<void> {
  const foreign: string[] = [];
  const errors: string[] = [];
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(desk);
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(address);
  if (isOver(address)) await page.getByRole('dialog').first().waitFor();
  await isFineInEitherTheme(page);
  for (const size of between) {
    await page.setViewportSize(size);
    await settled(page);
    await fits(page);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(phone);
  await isFineInEitherTheme(page);
  for (const event of ['request', 'console', 'pageerror']) page.removeAllListeners(event);
  expect(foreign).toEqual([]);
  expect(errors).toEqual([]);
}

const title = (address: string): string =>
  `${address} on desk and phone: axe finds nothing in either theme, and nothing loads from other hosts or scrolls sideways`;

for (const address of publicPages)
  test(title(address), async ({ visitors, hub }) => {
    const isStatus = address === '/status';
    if (isStatus) await set(hub, 'StatusPageEnabled', 'true');
    try {
      await isFine(visitors, address, hub);
    } finally {
      if (isStatus) await set(hub, 'StatusPageEnabled', 'false');
    }
  });

for (const address of panelPages)
  test(title(address), async ({ roots, hub }) => {
    // Without a link the page has a note instead.
    if (address === '/panel/topup') await set(hub, 'TopUpLink', 'https://shop.example.com');
    await isFine(roots, address, hub);
  });

test('an ended session is signed in to again over the page that was opened', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.goto('/panel/token');
  await expect(page.getByRole('heading', { level: 1, name: 'Tokens' })).toBeVisible();
  await settled(page);
  await context.clearCookies();
  await page.getByRole('link', { name: 'Log', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByLabel('Password', { exact: true }).fill(hub.rootPassword);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(({ pathname }) => pathname === '/panel/log');
  await settled(page);
});
