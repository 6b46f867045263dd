import type { Locator, Page } from '@playwright/test';
import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';
import { expectWalkable } from './keyboard-walk.ts';
import { settled } from './page-helpers.ts';

/** Uses a separate server: the number of Tab presses depends on the rows. */
const test = base.extend<object, { hub: Hub }>({ hub: [newHub(), { scope: 'worker' }] });

test.describe.configure({ mode: 'parallel' });

/** Important actions by keyboard only. */
const mostStops = 80;

/** Presses Tab until `target` has a visible focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.first().waitFor();
  for (let stop = 0; stop < mostStops; stop++) {
    await page.keyboard.press('Tab');
    if (await target.first().evaluate((element) => element === document.activeElement)) {
      await expect.poll(() => isRinged(target.first()), 'the focus is seen').toBe(true);
      return;
    }
  }
  throw new Error(`Tab does not lead to ${String(target)}`);
}

/** Whether the focus of an element is visible, on the element or its frame. */
const isRinged = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const around = [element, element.parentElement, element.parentElement?.parentElement, element.nextElementSibling];
    return around.some((each) => {
      if (!each) return false;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
      return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
    });
  });

async function pressAt(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

test('sign in, add a channel, create a token, filter the log, use the palette, sign out: with keys alone', async ({
  page,
  hub,
  upstream,
}) => {
  test.setTimeout(240_000);

  await test.step('sign in', async () => {
    await page.goto('/login');
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await tabTo(page, page.getByLabel('Username or email'));
    await page.keyboard.type('root');
    await tabTo(page, page.getByLabel('Password', { exact: true }));
    await page.keyboard.type(hub.rootPassword);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/panel$/);
  });

  await test.step('the first stop leads past the menus', async () => {
    await page.goto('/panel/channel');
    await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor();
    await pressAt(page, page.getByRole('link', { name: 'Skip to content' }));
    await expect(page.getByRole('main')).toBeFocused();
  });

  await test.step('add a channel', async () => {
    await pressAt(page, page.getByRole('button', { name: 'Add channel' }));
    const drawer = page.getByRole('dialog', { name: 'Add channel' });
    await drawer.waitFor();
    await pressAt(page, drawer.getByLabel('Type', { exact: true }));
    await page.getByRole('option').first().waitFor();
    await page.keyboard.type('OpenAI-compatible');
    // The only match, so Enter selects it.
    await expect(page.getByRole('option')).toHaveText([/OpenAI-compatible/]);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('option')).toHaveCount(0);
    await tabTo(page, drawer.getByLabel('Base URL', { exact: false }));
    await page.keyboard.type(upstream.url);
    await tabTo(page, drawer.getByLabel('Key', { exact: true }));
    await page.keyboard.type('sk-typed-with-the-keyboard');
    await pressAt(page, drawer.getByRole('button', { name: 'Fetch from provider' }));
    await pressAt(page, drawer.getByRole('button', { name: /Add all/ }));
    await page.keyboard.press('Control+Enter');
    await expect(drawer).toHaveCount(0);
    await expect(page.getByRole('row', { name: /Enabled/ }).first()).toBeVisible();
  });

  await test.step('create a token', async () => {
    await page.goto('/panel/token');
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor();
    await pressAt(page, page.getByRole('main').getByRole('button', { name: 'Create token' }));
    const drawer = page.getByRole('dialog', { name: 'Create token' });
    await drawer.waitFor();
    await expect(drawer.getByLabel('Name', { exact: true })).toBeFocused();
    await page.keyboard.type('by-keyboard');
    await page.keyboard.press('Control+Enter');
    const ready = page.getByRole('dialog', { name: 'Token by-keyboard is ready' });
    await ready.waitFor();
    await pressAt(page, ready.getByRole('button', { name: 'Done' }));
    await expect(ready).toHaveCount(0);
    await expect(page.getByRole('row', { name: /by-keyboard/ })).toBeVisible();
  });

  await test.step('read an exact amount in a row, which is one stop of Tab', async () => {
    const row = page.getByRole('row', { name: /by-keyboard/ });
    await tabTo(page, row);
    const amount = row.locator('data').first();
    const isThere = () => amount.evaluate((element) => element === document.activeElement);
    for (let press = 0; press < 10 && !(await isThere()); press++) await page.keyboard.press('ArrowRight');
    await expect(amount).toBeFocused();
    await expect(page.getByRole('tooltip')).toHaveText(/\d credits?$/);
    await page.keyboard.press('Enter');
    const view = page.getByRole('dialog', { name: 'by-keyboard' });
    await pressAt(page, view.getByRole('button', { name: 'Edit' }));
    const drawer = page.getByRole('dialog', { name: 'Edit token' });
    await drawer.waitFor();
    await page.keyboard.press('Escape');
    await expect(drawer).toHaveCount(0);
    await view.waitFor();
    await page.keyboard.press('Escape');
    await expect(view).toHaveCount(0);
    await expect(row).toBeFocused();
  });

  await test.step('filter the log', async () => {
    await page.goto('/panel/log');
    await page.getByRole('heading', { level: 1, name: 'Log' }).waitFor();
    await tabTo(page, page.getByRole('combobox', { name: /^Model, token/ }));
    await page.keyboard.type('gpt-4o');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/model_name=gpt-4o/);
    await pressAt(page, page.getByRole('button', { name: 'Clear filter Model' }));
    await expect(page).not.toHaveURL(/model_name/);
    // A user who types faster than the list loads gets their text.
    await tabTo(page, page.getByRole('combobox', { name: /^Model, token/ }));
    await page.keyboard.type('gpt-4o-mini-2024');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/model_name=gpt-4o-mini-2024/);
    await pressAt(page, page.getByRole('button', { name: 'Clear filter Model' }));
    await expect(page).not.toHaveURL(/model_name/);
    await pressAt(page, page.getByRole('button', { name: /^Type:/ }));
    await page.getByRole('dialog', { name: 'Type' }).waitFor();
    await pressAt(page, page.getByRole('dialog', { name: 'Type' }).getByRole('button', { name: 'Top-up' }));
    await expect(page).toHaveURL(/log_type=1/);
  });

  await test.step('open the palette, and go with it', async () => {
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search or jump to' });
    await expect(palette.getByRole('combobox')).toBeFocused();
    await page.keyboard.type('token');
    await expect(palette.getByRole('option').first()).toContainText('Tokens');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/panel\/token/);
    await expect(page.getByRole('heading', { level: 1, name: 'Tokens' })).toBeVisible();
  });

  await test.step('create from the palette, find a setting by its key, and return to what was chosen', async () => {
    const palette = page.getByRole('dialog', { name: 'Search or jump to' });
    const choose = async (typed: string, first: string) => {
      await page.keyboard.press('Control+k');
      await expect(palette.getByRole('combobox')).toBeFocused();
      await page.keyboard.type(typed);
      await expect(palette.getByRole('option').first()).toContainText(first);
      await page.keyboard.press('Enter');
    };
    await choose('new user', 'Add user');
    await expect(page).toHaveURL(/\/panel\/user\?edit=new/);
    await page.getByRole('dialog', { name: 'Add user' }).waitFor();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await choose('RetryTimes', 'Retries');
    await expect(page).toHaveURL(/\/panel\/setting\?q=RetryTimes/);
    await page.keyboard.press('Control+k');
    await expect(palette.getByRole('group', { name: 'Recent' }).getByRole('option').first()).toContainText('Retries');
    await page.keyboard.press('Escape');
    await expect(palette).toHaveCount(0);
  });

  await test.step('go, walk and search with single keys, until they are switched off', async () => {
    // Elsewhere than in a field, which uses letters itself.
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await expect(page).toHaveURL(/\/panel\/channel/);
    await page.locator('[data-row]').first().waitFor();
    await page.keyboard.press('j');
    await expect(page.locator('[data-row]').first()).toBeFocused();
    await page.keyboard.press('/');
    await expect(page.getByRole('searchbox').first()).toBeFocused();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await tabTo(page, sheet.getByRole('switch'));
    await page.keyboard.press('Space');
    await expect(sheet.getByRole('switch')).not.toBeChecked();
    await page.keyboard.press('Escape');
    await expect(sheet).toHaveCount(0);
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog')).toHaveAccessibleName('Search or jump to');
    await page.keyboard.press('Escape');
  });

  await test.step('sign out', async () => {
    await pressAt(page, page.getByRole('button', { name: 'Account: root' }));
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('End');
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${hub.url}/`);
  });
});

/** Screens of the console; those with `rows` have records that Enter opens and Escape closes. */
const screens: readonly [path: string, rows?: 'rows'][] = [
  ['dashboard'],
  ['dashboard?view=live'],
  ['analytics'],
  ['usage'],
  ['channel', 'rows'],
  ['channel?view=tags'],
  ['token', 'rows'],
  ['token?scope=all', 'rows'],
  ['user', 'rows'],
  ['user_group', 'rows'],
  ['pricing', 'rows'],
  ['model_price'],
  ['model_ownedby', 'rows'],
  ['redemption', 'rows'],
  ['telegram'],
  ['payment'],
  ['payment?tab=gateways'],
  ['topup'],
  ['ledger'],
  ['books'],
  ['log'],
  ['audit', 'rows'],
  ['task'],
  ['midjourney'],
  ['profile'],
  ['setting'],
  ['setting?tab=system'],
  ['setting?tab=other'],
  ['playground'],
];

test('Tab reaches every control of every screen and leaves it again; Enter opens a record, Escape closes it', async ({
  page,
  context,
  hub,
  upstream,
}) => {
  test.setTimeout(240_000);
  const root = await callsOf(hub);
  await root.post('/api/channel/', {
    data: { type: 8, name: 'walked', key: 'sk-any', base_url: upstream.url, models: 'gpt-4o-mini', tag: 'walk' },
  });
  await root.post('/api/token/', { data: { name: 'walked' } });
  await root.post('/api/redemption/', { data: { name: 'walked', quota: 1, count: 1 } });
  await root.post('/api/user/', { data: { username: 'walked', password: 'a-long-password-1', group: 'default' } });
  await root.dispose();
  await signIn(context, hub);
  for (const [path, rows] of screens)
    await test.step(path, async () => {
      await page.goto(`/panel/${path}`);
      const row = page.locator('tr[data-row]').first();
      if (rows) await row.waitFor();
      await settled(page);
      await expectWalkable(page);
      if (!rows) return;
      await row.focus();
      await page.keyboard.press('Enter');
      const record = page.getByRole('dialog');
      await expect(record).toBeVisible();
      await settled(page);
      await page.keyboard.press('Escape');
      await expect(record).toHaveCount(0);
      await expect(row).toBeFocused();
    });
});
