import type { Locator, Page } from '@playwright/test';
import { expect, signIn, test } from './hub.ts';

/** What lies beside what, where there is little room: on a phone, and where everything is twice as large. */
const phone = { width: 390, height: 844 };
/** What 1440 × 900 leaves at 200 %. */
const zoomed = { width: 720, height: 450 };
const narrowest = { width: 900, height: 700 };
const publicPages = ['/', '/about', '/price', '/login', '/register', '/reset', '/404'];
const panelPages = [
  'dashboard',
  'analytics',
  'channel',
  'channel?edit=new',
  'token',
  'token?edit=new',
  'log',
  'redemption',
  'topup',
  'ledger',
  'books',
  'audit',
  'user',
  'user?edit=new',
  'user_group',
  'profile',
  'pricing',
  'pricing?view=merged',
  'pricing?edit=gpt-4o',
  'pricing?open=update',
  'model_price',
  'setting',
  'setting?tab=system',
  'setting?tab=other',
  'model_ownedby',
  '404',
];

const boxOf = async (element: Locator) => {
  const box = await element.boundingBox();
  if (!box) throw new Error('it is not on the page');
  return box;
};

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading').first().waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
}

for (const [name, size] of Object.entries({ 'at 200 %': zoomed, 'where the menu just stands beside it': narrowest }))
  test(`no page scrolls sideways ${name}`, async ({ page, context, hub }) => {
    test.slow();
    await signIn(context, hub);
    await page.setViewportSize(size);
    const wide: string[] = [];
    for (const address of [...publicPages, ...panelPages.map((each) => `/panel/${each}`)]) {
      await open(page, address);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (beyond > 0) wide.push(`${address} by ${beyond}`);
    }
    expect(wide).toEqual([]);
  });

test('the button that copies an example stands beside it on a phone', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.setViewportSize(phone);
  await open(page, '/panel/token?edit=new');
  await page.getByRole('dialog').getByRole('textbox').first().fill('beside');
  await page.keyboard.press('Control+Enter');
  const dialog = page.getByRole('dialog').filter({ hasText: 'beside' });
  const code = await boxOf(dialog.getByRole('region', { name: 'curl' }));
  const copy = await boxOf(dialog.getByRole('button', { name: 'Copy curl' }));
  expect(code.x + code.width).toBeLessThanOrEqual(copy.x);
  expect(copy.x + copy.width).toBeLessThanOrEqual(phone.width);
});
