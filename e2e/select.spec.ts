import { type Page, type Request } from '@playwright/test';
import { expect, signIn, test } from './hub.ts';
import { expectToast, recordToasts, settled } from './page-helpers.ts';

/** A select loads its list on first use, and acts from the first press as if it had been there. */
test.beforeEach(async ({ page, context, hub }) => {
  await signIn(context, hub);
  await recordToasts(context);
  await page.goto('/panel/setting?tab=other');
  await settled(page);
});

const language = (page: Page) => page.getByRole('combobox', { name: 'Default language', exact: true });
const options = (page: Page) => page.getByRole('option');
const code = /\/assets\/plain-select-/;

/** Holds the code of the list back until the result is called. */
async function hold(page: Page): Promise<() => void> {
  let send = (): void => undefined;
  const held = new Promise<void>((resolve) => (send = resolve));
  await page.route(code, async (route) => {
    await held;
    await route.continue();
  });
  return send;
}

test('the list is loaded when the select is reached, not with the page', async ({ page }) => {
  const requests: string[] = [];
  page.on('request', (request: Request) => requests.push(request.url()));
  await page.reload();
  await settled(page);
  const loads = () => requests.filter((url) => code.test(url)).length;
  await expect(language(page)).toHaveAttribute('aria-haspopup', 'listbox');
  await expect(language(page)).toHaveAttribute('aria-expanded', 'false');
  expect(loads()).toBe(0);
  await language(page).hover();
  await expect.poll(loads, 'loads of the list').toBe(1);
});

for (const key of ['Enter', 'Space', 'ArrowDown', 'ArrowUp'])
  test(`${key} opens the list at the first press, also while it is still loading`, async ({ page }) => {
    const send = await hold(page);
    const before = await language(page).boundingBox();
    await language(page).focus();
    await page.keyboard.press(key);
    await expect(language(page)).toHaveAttribute('aria-busy', 'true');
    await expect(language(page)).toBeFocused();
    send();
    await expect(options(page).first()).toBeVisible();
    await expect(page.locator('[role=option]:focus')).toHaveCount(1);
    await expect(language(page)).toHaveAttribute('aria-expanded', 'true');
    expect(await language(page).boundingBox()).toEqual(before);
    await page.keyboard.press('Escape');
    await expect(options(page)).toHaveCount(0);
    await expect(language(page)).toBeFocused();
    await page.keyboard.press(key);
    await expect(page.locator('[role=option]:focus')).toHaveCount(1);
  });

test('the first press opens the list, and the second closes it', async ({ page }) => {
  await language(page).click();
  await expect(options(page)).toHaveCount(4);
  await options(page).filter({ hasText: '日本語' }).click();
  await expect(options(page)).toHaveCount(0);
  await expect(language(page)).toHaveText('日本語');
  await language(page).click();
  await expect(options(page).filter({ hasText: '日本語' })).toHaveAttribute('aria-selected', 'true');
  await language(page).click();
  await expect(options(page)).toHaveCount(0);
});

test('typing chooses in the closed select before and after its list is loaded', async ({ page }) => {
  await language(page).focus();
  await page.keyboard.type('eng');
  await expect(language(page)).toHaveText('English');
  await page.keyboard.press('ArrowDown');
  await expect(options(page).filter({ hasText: 'English' })).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(language(page)).toHaveText('日本語');
  await page.keyboard.type('eng');
  await expect(language(page)).toHaveText('English');
  await expect(options(page)).toHaveCount(0);
});

test('the list stays closed when the user goes on while it loads', async ({ page }) => {
  const send = await hold(page);
  await language(page).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(language(page)).not.toBeFocused();
  send();
  await expect(language(page)).not.toHaveAttribute('aria-busy');
  await expect(options(page)).toHaveCount(0);
  await expect(page.locator(':focus')).toHaveCount(1);
});

test('a list that cannot be loaded is reported, and the next press tries again', async ({ page }) => {
  await page.route(code, (route) => route.abort());
  await language(page).click();
  await expectToast(page, 'Could not load');
  await expect(language(page)).toBeFocused();
  await page.unroute(code);
  await language(page).click();
  await expect(options(page)).toHaveCount(4);
});
