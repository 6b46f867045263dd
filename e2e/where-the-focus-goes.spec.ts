import { type Locator, type Page } from '@playwright/test';
import { expect, signIn, test } from './hub.ts';
import { settled } from './page-helpers.ts';

/** Keyboard focus stays in place when an element closes, disappears or is replaced. */
test.beforeEach(({ context, hub }) => signIn(context, hub));

const key = (page: Page, ...keys: string[]) =>
  keys.reduce((before, each) => before.then(() => page.keyboard.press(each)), Promise.resolve());

/** Activates an element by keyboard, so that the focus is visible. */
async function pressAt(page: Page, target: Locator): Promise<void> {
  await target.focus();
  await key(page, 'Shift+Tab', 'Tab');
  await expect(target).toBeFocused();
  await key(page, 'Enter');
}

test('a drawer, a dialog and a menu return the focus to the element that opened them', async ({
  page,
  context,
  hub,
}) => {
  await context.request.post(`${hub.url}/api/token/`, { data: { name: 'given-back' } });
  await page.goto('/panel/token');
  await settled(page);
  const dialog = page.getByRole('dialog');
  const create = page.getByRole('main').getByRole('button', { name: 'Create token' });
  await pressAt(page, create);
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
  await key(page, 'Escape');
  await expect(dialog).toHaveCount(0);
  await expect(create).toBeFocused();

  const row = page.getByRole('row').filter({ hasText: 'given-back' });
  await row.focus();
  await key(page, 'Enter');
  await expect(dialog).toBeVisible();
  await key(page, 'Escape');
  await expect(dialog).toHaveCount(0);
  await expect(row).toBeFocused();

  const more = page.getByRole('button', { name: 'More actions for given-back' });
  await pressAt(page, more);
  await expect(page.getByRole('menuitem').first()).toBeFocused();
  await key(page, 'Escape');
  await expect(more).toBeFocused();

  await key(page, 'Enter');
  await page.getByRole('menuitem').first().waitFor();
  await key(page, 'End', 'Enter');
  const question = page.getByRole('alertdialog');
  await expect(question.getByRole('button', { name: 'Keep' })).toBeFocused();
  await key(page, 'Escape');
  await expect(question).toHaveCount(0);
  await expect(more).toBeFocused();
});

test('a form focuses its first field, whatever controls are in its heading', async ({ page, context, hub }) => {
  await context.request.post(`${hub.url}/api/redemption/`, { data: { name: 'begins-here', quota: 1, count: 1 } });
  await page.goto('/panel/redemption?keyword=begins-here');
  await page.getByRole('row').filter({ hasText: 'begins-here' }).click();
  const drawer = page.getByRole('dialog', { name: 'Edit code' });
  await expect(drawer.getByRole('button', { name: /^Copy code/ })).toBeVisible();
  await expect(drawer.getByLabel('Name', { exact: true })).toBeFocused();

  // A field for password managers precedes it.
  await page.goto('/panel/profile');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await expect(page.getByRole('dialog').getByLabel('Current password', { exact: true })).toBeFocused();
});

for (const [path, name] of [
  ['/panel/channel?edit=new', 'Type'], // with a search
  ['/panel/user?edit=new', 'Group'],
] as const)
  test(`${path}: Esc closes a list of choices but not the form around it, and Tab goes on to the next field`, async ({
    page,
  }) => {
    await page.goto(path);
    const drawer = page.getByRole('dialog');
    const options = page.getByRole('option');
    const select = drawer.getByRole('combobox', { name, exact: true });
    await pressAt(page, select);
    await options.first().waitFor();
    await key(page, 'ArrowDown', 'Escape');
    await expect(options).toHaveCount(0);
    await expect(select).toBeFocused();
    await expect(drawer).toBeVisible();
    await key(page, 'Enter');
    await options.first().waitFor();
    await key(page, 'Tab');
    await expect(options).toHaveCount(0);
    await expect(drawer.locator(':focus')).toHaveCount(1);
  });

test('a control that disappears when pressed moves the focus on', async ({ page }) => {
  await test.step('the cross of a filter', async () => {
    await page.goto('/panel/log?model_name=gpt-4o');
    await settled(page);
    const search = page.getByRole('search');
    await pressAt(page, search.getByRole('button', { name: 'Clear filter Model' }));
    await expect(page).not.toHaveURL(/model_name/);
    await expect(search.locator(':focus')).toHaveCount(1);
  });

  await test.step('the cross of the search', async () => {
    await page.goto('/panel/token?keyword=none');
    await settled(page);
    await pressAt(page, page.getByRole('button', { name: 'Clear search' }));
    await expect(page.getByRole('searchbox')).toBeFocused();
  });

  await test.step('the selection bar', async () => {
    await page.goto('/panel/user');
    await settled(page);
    await page.getByRole('checkbox', { name: 'Select root' }).focus();
    await key(page, 'Space');
    await pressAt(page, page.getByRole('toolbar').getByRole('button', { name: 'Clear selection' }));
    await expect(page.getByRole('checkbox', { name: 'Select this page' })).toBeFocused();
  });

  await test.step('the button that folds the menu away', async () => {
    await page.goto('/panel/books');
    await settled(page);
    await pressAt(page, page.getByRole('button', { name: 'Hide sidebar' }));
    await expect(page.getByRole('button', { name: 'Show sidebar' })).toBeFocused();
    await key(page, 'Enter');
    await expect(page.getByRole('button', { name: 'Hide sidebar' })).toBeFocused();
  });
});

test('where the focus was and is gone, its neighbour has it, or the page that came instead', async ({
  page,
  context,
  hub,
}) => {
  for (const name of ['gone-1', 'gone-2', 'gone-3'])
    await context.request.post(`${hub.url}/api/token/`, { data: { name } });

  await test.step('a row that is deleted: the next one', async () => {
    await page.goto('/panel/token?keyword=gone');
    await settled(page);
    const rows = page.locator('tr[data-row]');
    const [below] = /gone-\d/.exec(await rows.nth(2).innerText()) ?? [];
    await page.keyboard.press('Shift'); // from here on the page shows the focus
    await pressAt(page, page.getByRole('button', { name: 'More actions for gone-2' }));
    await page.getByRole('menuitem').first().waitFor();
    await key(page, 'End', 'Enter');
    await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Keep' })).toBeFocused();
    await key(page, 'Tab', 'Enter');
    await expect(rows).toHaveCount(2);
    await expect(rows.nth(1)).toBeFocused();
    await expect(rows.nth(1)).toContainText(below!);
  });

  await test.step('the clear button of a filter: the filter, or the one before it', async () => {
    await page.goto('/panel/audit?result=1&object_id=1');
    await settled(page);
    await page.keyboard.press('Shift'); // from here on the page shows the focus
    await pressAt(page, page.getByRole('button', { name: 'Clear filter Result' }));
    await expect(page.getByRole('button', { name: 'Result:' })).toBeFocused();
    const objects = page.getByRole('button', { name: 'Clear filter Object ID' });
    await pressAt(page, objects);
    await expect(objects).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Result:' })).toBeFocused();
  });

  await test.step('a link in a page: the page that it leads to', async () => {
    await page.goto('/panel/profile');
    await settled(page);
    await page.keyboard.press('Shift'); // from here on the page shows the focus
    await pressAt(page, page.getByRole('main').getByRole('link', { name: 'tokens' }));
    await expect(page).toHaveURL(/\/panel\/token/);
    await expect(page.getByRole('main')).toBeFocused();
  });

  await test.step('a click elsewhere: stays there', async () => {
    await page.clock.install();
    await page.goto('/panel/audit?result=1');
    await settled(page);
    await page.keyboard.press('Shift'); // from here on the page shows the focus
    const clear = page.getByRole('button', { name: 'Clear filter Result' });
    await clear.focus();
    await page.getByRole('heading', { level: 1 }).click();
    await clear.evaluate((cross) => (cross as HTMLElement).click());
    await expect(clear).toHaveCount(0);
    await page.clock.fastForward(5000);
    await expect(page.getByRole('main')).toBeFocused();
  });
});

test('arrow keys step through details next to the list, and closing returns to the list', async ({
  page,
  context,
  hub,
}) => {
  for (const name of ['walked-1', 'walked-2', 'walked-3'])
    await context.request.post(`${hub.url}/api/redemption/`, { data: { name, quota: 1, count: 1 } });
  await page.goto('/panel/audit');
  await settled(page);
  const rows = page.locator('tr[data-row]');
  await rows.first().focus();
  await key(page, 'Enter');
  await page.getByRole('dialog').waitFor();
  await key(page, 'ArrowDown');
  await expect(rows.nth(1)).toHaveAttribute('aria-selected', 'true');
  await key(page, 'ArrowDown');
  await expect(rows.nth(2)).toHaveAttribute('aria-selected', 'true');
  await key(page, 'ArrowUp', 'Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.locator('tr[data-row]:focus')).toHaveCount(1);
});

test('the number of results is announced after a search, but not after a refresh', async ({ page, context, hub }) => {
  const add = (name: string) => context.request.post(`${hub.url}/api/token/`, { data: { name } });
  for (const name of ['found-one', 'found-two']) await add(name);
  await page.goto('/panel/token');
  await settled(page);
  const announced = page.getByRole('main').getByRole('status');
  await expect(announced).toHaveText('');
  await page.getByRole('searchbox').fill('found-');
  await expect(announced).toHaveText('1–2 of 2');
  await add('found-three');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('1–3 of 3')).toBeVisible();
  await expect(announced).toHaveText('1–2 of 2');
  await page.getByRole('searchbox').fill('found-nothing');
  await expect(announced).toHaveText('No results');
});

test("with the system's own colours the focus, what is chosen and what is on are seen", async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  const outlineOf = (target: Locator) => target.evaluate((element) => getComputedStyle(element).outlineStyle);
  const groundOf = (target: Locator) => target.evaluate((element) => getComputedStyle(element).backgroundColor);

  await page.goto('/panel/channel');
  await settled(page);
  const search = page.getByRole('searchbox');
  await search.focus();
  expect(await outlineOf(search)).toBe('solid');
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  const [current, other] = [menu.getByRole('link', { name: 'Channels' }), menu.getByRole('link', { name: 'Tokens' })];
  expect(await groundOf(current)).not.toBe(await groundOf(other));
  const view = page.getByRole('radiogroup').first().locator('label');
  expect(await groundOf(view.filter({ has: page.locator(':checked') }))).not.toBe(
    await groundOf(view.filter({ hasNot: page.locator(':checked') }).first()),
  );

  await page.goto('/panel/setting');
  await settled(page);
  for (const box of [page.getByRole('switch').first(), page.locator('input[type=checkbox]').first()])
    await expect(box).toHaveCSS('appearance', 'auto');
  await page.keyboard.press('Control+k');
  const options = page.getByRole('option');
  await options.first().waitFor();
  expect(await groundOf(options.first())).not.toBe(await groundOf(options.nth(1)));
});

test('every page has a different title, announced when it opens without a page load', async ({ page, context }) => {
  const isTitled = async (address: string, title: string) => {
    await page.goto(address);
    await expect(page).toHaveTitle(`${title} · Relay Hub`);
  };
  await isTitled('/price', 'Pricing');
  await isTitled('/about', 'About');
  await isTitled('/no-such-page', 'Page not found');
  await isTitled('/panel/no-such-page', 'Page not found');
  await isTitled('/panel/token', 'Tokens');
  const announced = page.getByRole('status').filter({ hasText: 'Relay Hub' });
  await expect(announced).toHaveCount(0);
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Log', exact: true }).click();
  await expect(announced).toHaveText('Log · Relay Hub');

  await context.clearCookies();
  await context.addInitScript(() => localStorage.removeItem('user'));
  await isTitled('/login', 'Sign in');
  await isTitled('/reset', 'Reset password');
});
