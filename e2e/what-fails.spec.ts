import type { Page, Route } from '@playwright/test';
import { callsOf, expect, signIn, test } from './hub.ts';
import { expectToast, recordToasts, settled } from './page-helpers.ts';

/** Writes that are refused, get no reply, or a reply without a message: the shown text and the remaining state. */
test.beforeEach(async ({ context, hub }) => {
  await recordToasts(context);
  await signIn(context, hub);
});

const refused = (status: number, message: string) => (route: Route) =>
  route.fulfill({ status, json: { success: false, message, code: 'conflict' } });

/** A reply of a proxy, without the response envelope. */
const byProxy = (status: number) => (route: Route) =>
  route.fulfill({ status, contentType: 'text/html', headers: { 'retry-after': '20' }, body: '<h1>No</h1>' });

/** Fails requests that change data; reads succeed. */
const failWrites = (page: Page, answer: (route: Route) => Promise<void>) =>
  page.route('**/api/**', (route) => (route.request().method() === 'GET' ? route.fallback() : answer(route)));

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

async function choose(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

test('a refused switch returns to its previous state, with the reason', async ({ page, context, hub }) => {
  await context.request.post(`${hub.url}/api/token/`, { data: { name: 'stays-on', unlimited_quota: true } });
  await page.goto('/panel/token');
  for (const [answer, words] of [
    [refused(409, 'Somebody else changed it.'), 'stays-on was not changed: Somebody else changed it.'],
    [refused(429, 'Try again in 20 seconds.'), 'Try again in 20 seconds.'],
    [byProxy(429), 'Too many requests. Try again later.'],
    [byProxy(500), 'Internal server error. Contact the administrator.'],
    [(route: Route) => route.abort(), 'Could not reach the server. Check your connection and try again.'],
  ] as const) {
    await expect(rowOf(page, 'stays-on')).toContainText('Enabled');
    await failWrites(page, answer);
    await choose(page, 'stays-on', 'Disable');
    await expectToast(page, words);
    await page.unroute('**/api/**');
    await expect(rowOf(page, 'stays-on')).toContainText('Enabled');
  }
});

test('a form that cannot be saved keeps its input and shows the reason', async ({ page }) => {
  await page.goto('/panel/token?edit=new');
  const drawer = page.getByRole('dialog', { name: 'Create token' });
  await drawer.getByLabel('Name', { exact: true }).fill('not-saved');
  for (const [answer, words] of [
    [byProxy(413), 'Error: The request is too large.'],
    [refused(500, 'The disk is full.'), 'Error: The disk is full.'],
    [(route: Route) => route.abort(), 'Could not reach the server. Check your connection and try again.'],
  ] as const) {
    await failWrites(page, answer);
    await page.keyboard.press('Control+Enter');
    await expectToast(page, words);
    await page.unroute('**/api/**');
    await expect(drawer.getByLabel('Name', { exact: true })).toHaveValue('not-saved');
    // The request has ended, and the page knows that the server can be reached.
    await expect(drawer.getByRole('button', { name: /^Create token/ })).not.toHaveAttribute('aria-disabled', 'true');
  }
});

test('a confirmation that fails stays open and shows the error', async ({ page, hub }) => {
  const root = await callsOf(hub);
  await root.post('/api/user/', { data: { username: 'not_out', password: 'a-password-of-theirs', group: 'default' } });
  // A second session of root, so that there are others to end.
  await (await callsOf(hub)).dispose();
  await root.dispose();

  await page.goto('/panel/user?keyword=not_out');
  await settled(page);
  await failWrites(page, refused(409, 'Not this time.'));
  await choose(page, 'not_out', 'Sign out everywhere…');
  const question = page.getByRole('alertdialog');
  await question.getByRole('button').last().click();
  await expectToast(page, 'Error: Not this time.');
  await expect(question).toBeVisible();

  await page.unroute('**/api/**');
  await page.goto('/panel/profile');
  await settled(page);
  await failWrites(page, refused(409, 'Nor this time.'));
  await page.getByRole('button', { name: /^Sign out \d+ other/ }).click();
  await question.getByRole('button').last().click();
  await expectToast(page, 'Error: Nor this time.');
  await expect(question).toBeVisible();
});

test('settings that cannot be restored are reported', async ({ page, hub }) => {
  const root = await callsOf(hub);
  try {
    // The save bar loads after the page; the shortcut works before that.
    const held = Promise.withResolvers<void>();
    await page.route(/save-bar/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto('/panel/setting');
    await page.getByRole('textbox', { name: 'Retries', exact: true }).fill('5');
    await page.keyboard.press('Control+Enter');
    await expectToast(page, '1 setting saved');
    held.resolve();
    await failWrites(page, refused(500, 'The settings are locked.'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectToast(page, 'Error: The settings are locked.');
    await expect(page.getByRole('textbox', { name: 'Retries', exact: true })).toHaveValue('5');
  } finally {
    await root.put('/api/option/batch', { data: { values: { RetryTimes: null } } });
    await root.dispose();
  }
});

test('rows of other pages that cannot be fetched are reported, and the selection stays', async ({
  page,
  context,
  hub,
}) => {
  for (let n = 0; n < 11; n++)
    await context.request.post(`${hub.url}/api/token/`, { data: { name: `one-of-many-${n}` } });
  await page.goto('/panel/token?size=10');
  await page
    .getByRole('row', { name: /one-of-many/ })
    .first()
    .waitFor();
  await page.getByRole('checkbox', { name: 'Select this page' }).check();
  await page.route(/\/api\/token\/\?/, refused(500, 'Too many at once.'));
  await page.getByRole('button', { name: /^Select all/ }).click();
  await expectToast(page, 'Error: Too many at once.');
  await expect(page.getByRole('toolbar')).toContainText('10 selected');
});

test('a broken export is reported once', async ({ page }) => {
  const download = /\/api\/log\/export/;
  await page.goto('/panel/log');
  await settled(page);
  for (const [answer, words] of [
    [byProxy(500), 'Internal server error. Contact the administrator.'],
    [(route: Route) => route.abort(), 'Export failed. Try again.'],
  ] as const) {
    await page.route(download, answer);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await expectToast(page, words);
    const messages = page.getByRole('region', { name: 'Messages' });
    await expect(messages.getByRole('alert')).toHaveCount(1);
    await messages.getByRole('button', { name: 'Dismiss' }).click();
    await expect(messages.getByRole('alert')).toHaveCount(0);
    await page.unroute(download);
  }
});

test('a sign-in that a proxy refuses is not called a wrong password', async ({ page, context }) => {
  await context.clearCookies();
  await context.addInitScript(() => localStorage.removeItem('user'));
  await page.goto('/login');
  await page.route('**/api/user/login', byProxy(429));
  await page.getByLabel('Username or email').fill('root');
  await page.getByLabel('Password', { exact: true }).fill('a-password');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('Too many requests. Try again later.');
});
