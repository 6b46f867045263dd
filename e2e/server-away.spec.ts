import type { Page } from '@playwright/test';
import { callsOf, expect, signIn, test } from './hub.ts';
import { editBy, expectToast, recordToasts } from './page-helpers.ts';

/** While the server is unreachable, loaded data stays readable and controls that change data are disabled. */
test.beforeEach(async ({ context, hub }) => {
  await recordToasts(context);
  await signIn(context, hub);
});

test.beforeAll(async ({ hub, upstream }) => {
  const api = await callsOf(hub);
  const channel = { type: 8, name: 'lonely', key: 'sk-lonely', base_url: upstream.url, models: 'gpt-4o-mini' };
  for (const [path, data] of [
    ['/api/channel/', channel],
    ['/api/token/', { name: 'lonely', unlimited_quota: true }],
    ['/api/user/', { username: 'lonely', password: 'a-lonely-password', group: 'default', quota: 0 }],
    ['/api/redemption/', { name: 'lonely', quota: 1000, count: 1, expired_time: -1 }],
    ['/api/user_group/', { symbol: 'lonely', name: 'lonely', ratio: 1, api_rate: 60, enable: true }],
  ] as const)
    expect(await (await api.post(path, { data })).json()).toMatchObject({ success: true });
  await api.dispose();
});

const banner = (page: Page) => page.getByRole('alert').filter({ hasText: 'Cannot reach the server' });

/** Makes the server unreachable and waits until the page has noticed. */
async function takeAway(page: Page, asks = 'Refresh'): Promise<void> {
  await page.route('**/api/**', (route) => route.abort());
  // Keeps the pointer where it is.
  await page.getByRole('button', { name: asks, exact: true }).dispatchEvent('click');
  await expect(banner(page)).toBeVisible();
}

async function bringBack(page: Page): Promise<void> {
  await page.unroute('**/api/**');
  await expect(banner(page)).toHaveCount(0); // the page retries without a click
}

test('buttons, menus and fields of lists that change something are off until it is back', async ({ page }) => {
  await page.goto('/panel/token');
  const create = page.getByRole('button', { name: 'Create token' });
  const row = page.getByRole('row').filter({ hasText: 'lonely' });
  await expect(row).toBeVisible();
  await expect(create).not.toHaveAttribute('aria-disabled', 'true');
  await takeAway(page);

  await expect(row).toBeVisible();
  await expect(create).toHaveAttribute('aria-disabled', 'true');
  await create.click({ force: true });
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await row.getByRole('button', { name: 'More actions for lonely' }).click();
  await expect(page.getByRole('menuitem', { name: 'Edit' })).not.toHaveAttribute('aria-disabled', 'true');
  for (const name of ['Disable', 'Delete'])
    await expect(page.getByRole('menuitem', { name })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0); // otherwise the next click would go to this menu
  await page.mouse.move(0, 0); // the closed menu was over another row, whose tooltip would cover the button

  await bringBack(page);
  await expect(create).not.toHaveAttribute('aria-disabled', 'true');
  await row.getByRole('button', { name: 'More actions for lonely' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await expect(row).toContainText('Disabled');
});

/** Entries of the row menu of `lonely`, which must not have changed. */
async function menuOf(page: Page): Promise<Record<string, boolean>> {
  await page
    .getByRole('row')
    .filter({ hasText: 'lonely' })
    .getByRole('button', { name: /^More actions/ })
    .click();
  const items = page.getByRole('menuitem');
  await expect(items.first()).toBeVisible();
  const found = await items.evaluateAll((all) =>
    all.map((item) => [item.textContent.trim(), item.getAttribute('aria-disabled') === 'true'] as const),
  );
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  return Object.fromEntries(found);
}

const others = [
  {
    path: '/panel/user',
    stays: ['Edit user'],
    off: ['Make administrator…', 'Disable…', 'Sign out everywhere…', 'Delete user…'],
  },
  { path: '/panel/redemption', stays: ['Copy code', 'Edit'], off: ['Disable', 'Delete'] },
  { path: '/panel/user_group', stays: ['Edit group'], off: ['Delete group…'] },
];
for (const { path, stays, off } of others)
  test(`${path}: what its rows' menus change is off`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByRole('row').filter({ hasText: 'lonely' })).toBeVisible();
    const before = await menuOf(page);
    expect(Object.entries(before).filter(([, isOff]) => isOff)).toEqual([]);
    await takeAway(page);
    const after = await menuOf(page);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(after).toMatchObject(
      Object.fromEntries([...stays.map((name) => [name, false]), ...off.map((name) => [name, true])]),
    );
    if (path.endsWith('group')) await expect(page.getByRole('switch', { name: /lonely/ })).toBeDisabled();
  });

test('the palette cannot sign out, and the dashboard links to no form', async ({ page }) => {
  await page.goto('/panel/token');
  await expect(page.getByRole('row').filter({ hasText: 'lonely' })).toBeVisible();
  await takeAway(page);
  const requests: string[] = [];
  page.on('request', (request) => void (request.url().includes('logout') && requests.push(request.url())));

  await page.keyboard.press('Control+k');
  const finder = page.getByRole('combobox', { name: 'Search or jump to' });
  await finder.fill('sign out');
  const signOut = page.getByRole('option', { name: 'Sign out' });
  await expect(signOut).toHaveAttribute('aria-disabled', 'true');
  await finder.press('Enter');
  await signOut.click({ force: true });
  await expect(signOut).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('button', { name: 'Account: root' }).click();
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Escape');
  expect(requests).toEqual([]);

  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Dashboard' }).click();
  const create = page.getByRole('button', { name: 'Create token' });
  await expect(create).toHaveAttribute('aria-disabled', 'true');
  await create.click({ force: true });
  await expect(page).toHaveURL(/\/panel\/dashboard$/);
  await bringBack(page);
  await page.getByRole('link', { name: 'Create token' }).first().click();
  await expect(page).toHaveURL(/\/panel\/token\?edit=new/);
});

test('numbers in rows and actions on several rows are off as well', async ({ page }) => {
  await page.goto('/panel/channel');
  const row = page.getByRole('row').filter({ hasText: 'lonely' });
  const priority = row.getByRole('textbox', { name: 'Priority of lonely' });
  await row.getByRole('checkbox').check();
  await expect(page.getByRole('button', { name: 'Set tag', exact: true })).toBeEnabled();
  await expect(priority).toBeEditable();
  // The bulk actions replace "Refresh"; the column head sends a request as well.
  await takeAway(page, 'Channel');
  await expect(priority).not.toBeEditable();
  for (const name of ['Disable', 'Set tag', 'Delete 1 channel'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveAttribute('aria-disabled', 'true');
  await bringBack(page);
  await expect(priority).toBeEditable();
});

test('form input stays, and can be saved once the server is back', async ({ page }) => {
  await page.goto('/panel/token');
  await editBy(page.getByRole('row').filter({ hasText: 'lonely' }).getByText('lonely').first());
  const drawer = page.getByRole('dialog', { name: 'Edit token' });
  await drawer.getByLabel('Name', { exact: true }).fill('lonely no more');
  const save = drawer.getByRole('button', { name: /^Save/ });
  await page.route('**/api/**', (route) => route.abort());
  await save.click(); // this click is how the page notices
  await expect(save).toHaveAttribute('aria-disabled', 'true');

  const requests: string[] = [];
  page.on('request', (request) => void (request.method() === 'PUT' && requests.push(request.url())));
  await drawer.getByLabel('Name', { exact: true }).press('Enter');
  await page.keyboard.press('Control+Enter');
  await save.click({ force: true });
  await expect(drawer.getByLabel('Name', { exact: true })).toHaveValue('lonely no more');
  expect(requests).toEqual([]);

  await page.unroute('**/api/**');
  await expect(save).not.toHaveAttribute('aria-disabled', 'true');
  await save.click();
  await expect(drawer).toHaveCount(0);
  await expect(page.getByRole('row').filter({ hasText: 'lonely no more' })).toBeVisible();
});

test('undo waits for the server', async ({ page }) => {
  await page.goto('/panel/token');
  const row = page.getByRole('row').filter({ hasText: 'lonely' });
  const change = (await row.textContent())?.includes('Disabled') ? 'Enable' : 'Disable';
  await row.getByRole('button', { name: /^More actions for lonely/ }).click();
  await page.getByRole('menuitem', { name: change }).click();
  await expectToast(page, `${change}d lonely`);
  // A pointer on the toast keeps it open.
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  await undo.hover();
  await takeAway(page);
  await expect(undo).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Control+z');
  await page.unroute('**/api/**');
  await expect(undo).not.toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Control+z');
  await expectToast(page, `${change === 'Enable' ? 'Disable' : 'Enable'}d lonely`);
});
