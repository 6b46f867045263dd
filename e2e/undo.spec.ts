import type { Page } from '@playwright/test';
import { callsOf, expect, signIn, test } from './hub.ts';
import { expectToast, recordToasts, withoutSecureContext } from './page-helpers.ts';

/** Changes can be undone once, by button or key. */
test.beforeEach(async ({ context, hub }) => {
  await recordToasts(context);
  await withoutSecureContext(context);
  await signIn(context, hub);
});

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const undo = (page: Page) => page.getByRole('button', { name: 'Undo', exact: true });

/** Token changes that the page requests, by the status they set. */
function watchChanges(page: Page): number[] {
  const set: number[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'PUT' || !request.url().includes('/api/token/')) return;
    set.push((request.postDataJSON() as { status: number }).status);
  });
  return set;
}

/** Opens the list of tokens and turns each of them off; the pointer ends away from the toast. */
async function switchOff(page: Page, ...names: string[]): Promise<void> {
  await page.goto('/panel/token');
  for (const name of names) {
    await row(page, name)
      .getByRole('button', { name: `More actions for ${name}` })
      .click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await expectToast(page, `Disabled ${name}`);
    await expect(row(page, name)).toContainText('Disabled');
  }
  // A pointer on a toast keeps it open.
  await page.mouse.move(700, 5);
}

test.beforeAll(async ({ hub }) => {
  const api = await callsOf(hub);
  for (const name of ['alpha', 'beta', 'gamma', 'delta', 'twin', 'twin']) {
    const answer = await api.post('/api/token/', { data: { name, unlimited_quota: true } });
    expect(await answer.json()).toMatchObject({ success: true });
  }
  await api.dispose();
});

test('the button pressed twice takes back once', async ({ page }) => {
  await switchOff(page, 'alpha');
  const set = watchChanges(page);
  await undo(page).dblclick();
  await expect(row(page, 'alpha')).toContainText('Enabled');
  await expectToast(page, 'Enabled alpha');
  await expect(undo(page)).toHaveCount(0);
  expect(set).toEqual([1]);
});

test('Ctrl+Z takes back, from wherever the focus is, and neither again nor with the button', async ({ page }) => {
  await switchOff(page, 'beta');
  const set = watchChanges(page);
  const button = await undo(page).elementHandle();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  // During the exit animation, unless it is already removed.
  await button?.evaluate((element) => (element as HTMLButtonElement).click());
  await expect(row(page, 'beta')).toContainText('Enabled');
  await expectToast(page, 'Enabled beta');
  await expect(undo(page)).toHaveCount(0);
  await page.keyboard.press('Control+z');
  await expect(row(page, 'beta')).toContainText('Enabled');
  expect(set).toEqual([1]);
});

test('Ctrl+Z undoes the last change, once while the key is held down', async ({ page }) => {
  await switchOff(page, 'gamma', 'delta');
  // The first toast stays open while the pointer is on it.
  await page.getByText('Disabled gamma').hover();
  const set = watchChanges(page);
  await page.keyboard.down('Control');
  await page.keyboard.down('z');
  await expect(row(page, 'delta')).toContainText('Enabled');
  // A `down` without `up` is the key repeat of a held key.
  for (let repeated = 0; repeated < 5; repeated++) await page.keyboard.down('z');
  await page.keyboard.up('z');
  await expect(row(page, 'gamma')).toContainText('Disabled');
  expect(set).toEqual([1]);

  // A new press undoes the earlier change, even while the toast of the later one fades out.
  await page.keyboard.down('z');
  await page.keyboard.up('z');
  await page.keyboard.up('Control');
  await expect(row(page, 'gamma')).toContainText('Enabled');
  await expectToast(page, 'Enabled gamma');
  expect(set).toEqual([1, 1]);
});

test('Ctrl+Z in a field undoes typing', async ({ page }) => {
  await switchOff(page, 'alpha');
  const set = watchChanges(page);
  const search = page.getByRole('searchbox').first();
  await search.pressSequentially('al');
  await page.keyboard.press('Control+z');
  await expect(search).not.toHaveValue('al');
  await expect(undo(page)).toHaveCount(1);
  expect(set).toEqual([]);
  await undo(page).click();
  await expect(row(page, 'alpha')).toContainText('Enabled');
});

test('of two changes with the same message, the newer one can be undone', async ({ page }) => {
  await page.goto('/panel/token?keyword=twin');
  const twins = row(page, 'twin');
  await expect(twins).toHaveCount(2);
  const switchOffTwin = async (at: number) => {
    await twins.nth(at).getByRole('button', { name: 'More actions for twin' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await expect(twins.nth(at)).toContainText('Disabled');
  };
  await switchOffTwin(0);
  const older = await undo(page).elementHandle();
  await switchOffTwin(1);
  await expect.poll(() => older?.evaluate((button) => button.isConnected), 'the older button is there').toBe(false);
  await undo(page).click();
  await expect(twins.nth(1)).toContainText('Enabled');
  await expect(twins.nth(0)).toContainText('Disabled');
});
