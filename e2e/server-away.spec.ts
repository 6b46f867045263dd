import type { Page } from '@playwright/test';
import { callsOf, expect, signIn, test } from './hub.ts';
import { hear, told } from './watch.ts';

/** While the server is away, what is there stays readable, and what would change something is switched off. */
test.beforeEach(async ({ context, hub }) => {
  await hear(context);
  await signIn(context, hub);
});

test.beforeAll(async ({ hub, upstream }) => {
  const api = await callsOf(hub);
  const channel = { type: 8, name: 'lonely', key: 'sk-lonely', base_url: upstream.url, models: 'gpt-4o-mini' };
  for (const [path, data] of [
    ['/api/channel/', channel],
    ['/api/token/', { name: 'lonely', unlimited_quota: true }],
  ] as const)
    expect(await (await api.post(path, { data })).json()).toMatchObject({ success: true });
  await api.dispose();
});

const banner = (page: Page) => page.getByRole('alert').filter({ hasText: 'Cannot reach the server' });

/** The server does not answer any more, and the page has noticed. */
async function takeAway(page: Page): Promise<void> {
  await page.route('**/api/**', (route) => route.abort());
  // The pointer stays where it is.
  await page.getByRole('button', { name: 'Refresh', exact: true }).dispatchEvent('click');
  await expect(banner(page)).toBeVisible();
}

async function bringBack(page: Page): Promise<void> {
  await page.unroute('**/api/**');
  await expect(banner(page)).toHaveCount(0); // it asks again by itself
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
  await expect(page.getByRole('menu')).toHaveCount(0); // or the next press would still be for this one

  await bringBack(page);
  await expect(create).not.toHaveAttribute('aria-disabled', 'true');
  await row.getByRole('button', { name: 'More actions for lonely' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await expect(row).toContainText('Disabled');
});

test('numbers in rows and actions on several rows are off as well', async ({ page }) => {
  await page.goto('/panel/channel');
  const row = page.getByRole('row').filter({ hasText: 'lonely' });
  const priority = row.getByRole('textbox', { name: 'Priority of lonely' });
  await row.getByRole('checkbox').check();
  await takeAway(page);
  await expect(priority).not.toBeEditable();
  for (const name of ['Disable', 'Set tag', 'Delete 1 channel'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveAttribute('aria-disabled', 'true');
  await bringBack(page);
  await expect(priority).toBeEditable();
});

test('what is typed into a form stays, and is saved once the server is back', async ({ page }) => {
  await page.goto('/panel/token');
  await page.getByRole('row').filter({ hasText: 'lonely' }).getByText('lonely').first().click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name', { exact: true }).fill('lonely no more');
  const save = drawer.getByRole('button', { name: /^Save/ });
  await page.route('**/api/**', (route) => route.abort());
  await save.click(); // which is how one learns of it
  await expect(save).toHaveAttribute('aria-disabled', 'true');

  const asked: string[] = [];
  page.on('request', (request) => void (request.method() === 'PUT' && asked.push(request.url())));
  await drawer.getByLabel('Name', { exact: true }).press('Enter');
  await page.keyboard.press('Control+Enter');
  await save.click({ force: true });
  await expect(drawer.getByLabel('Name', { exact: true })).toHaveValue('lonely no more');
  expect(asked).toEqual([]);

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
  await told(page, `${change}d lonely`);
  // The pointer on it holds the toast.
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  await undo.hover();
  await takeAway(page);
  await expect(undo).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Control+z');
  await page.unroute('**/api/**');
  await expect(undo).not.toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Control+z');
  await told(page, `${change === 'Enable' ? 'Disable' : 'Enable'}d lonely`);
});
