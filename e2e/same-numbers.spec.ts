import type { Locator, Page } from '@playwright/test';
import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';
import { choose } from './page-helpers.ts';
import { menu, phone } from './parts.ts';

/** Calls that fail over from a weak channel: all screens show the same numbers. Uses a separate server. */
const test = base.extend<object, { hub: Hub }>({ hub: [newHub(), { scope: 'worker' }] });
test.describe.configure({ mode: 'serial' });

const caller = { username: 'caller', password: 'a-password-of-caller' };
const CALLS = 3;
let madeMs = 0;
const card = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
const number = (of: Locator): Promise<number> => of.locator('data').innerText().then(Number);

test.beforeAll(async ({ hub, upstream }) => {
  const root = await callsOf(hub);
  const channel = { type: 8, key: 'sk-any-key', base_url: upstream.url, models: 'gpt-4o-mini' };
  const weak = { ...channel, name: 'weak', priority: 9, model_mapping: '{ "gpt-4o-mini": "+sim:status=429" }' };
  for (const each of [weak, { ...channel, name: 'strong', priority: 1 }])
    expect((await root.post('/api/channel/', { data: each })).ok()).toBe(true);
  await root.post('/api/user/', { data: { ...caller, group: 'default', quota: 5_000_000 } });
  const own = await callsOf(hub, caller);
  const token = await own.post('/api/token/', { data: { name: 'one', unlimited_quota: true } });
  const { key } = ((await token.json()) as { data: { key: string } }).data;
  madeMs = Date.now();
  for (let made = 0; made < CALLS; made++) {
    const answer = await own.post('/v1/chat/completions', {
      headers: { authorization: `Bearer ${key}` },
      data: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] },
    });
    expect(answer.ok()).toBe(true);
    await root.put('/api/channel/1/unfreeze');
  }
  await expect(async () => {
    const { data } = (await (await root.get('/api/log/stat')).json()) as { data: { requests: number } };
    expect(data.requests).toBe(CALLS);
  }).toPass();
  await own.dispose();
  await root.dispose();
});

test.beforeEach(async ({ page, context, hub }) => {
  await signIn(context, hub);
  // The page shows the day of the calls, also when midnight has passed since.
  await page.clock.setFixedTime(madeMs);
});

test('a channel whose calls are rescued is failing in the list, on the dashboard and in the menu', async ({ page }) => {
  await page.goto('/panel/channel');
  const weak = page.getByRole('row').filter({ hasText: 'weak' });
  await expect(weak).toContainText('Failing · 100% within 10 min');
  await expect(weak).toContainText('Enabled · 429');
  await expect(weak.getByRole('img', { name: '3 attempts, 3 failed: 429 ×3' })).toBeVisible();
  await expect(weak.getByText('0 of 3', { exact: true })).toHaveCSS('color', 'rgb(71, 84, 103)');
  const strong = page.getByRole('row').filter({ hasText: 'strong' });
  await expect(strong.getByRole('img', { name: '3 attempts, none failed' })).toBeVisible();
  await expect(menu(page).getByRole('img', { name: '1 channel in trouble' })).toHaveText('1');

  await page.goto('/panel/dashboard');
  // Root has made no calls, so the first steps are shown instead of the health.
  await page.getByRole('button', { name: 'Don’t show again' }).click();
  const health = card(page, 'Channel health');
  await expect(health.getByRole('listitem').filter({ hasText: 'Failing' }).first()).toHaveText(/1\s*Failing/);
  await expect(health).toContainText('100% within 10 min');
  await expect(health).toContainText('Attempts succeeded: 3 of 6');

  await page.setViewportSize(phone);
  await page.getByRole('button', { name: 'Open menu' }).click();
  await expect(page.getByRole('dialog').getByRole('img', { name: '1 channel in trouble' })).toBeVisible();
});

test('hub dashboard, analytics and log show equal counts, separate from one’s own calls', async ({ page }) => {
  await page.goto('/panel/dashboard');
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard · Whole hub' })).toBeVisible();
  const requests = card(page, 'Requests today');
  await expect(requests.locator('data')).toHaveText(String(CALLS));
  const spent = await card(page, 'Spent today').getByText(/^\$/).first().innerText();
  const tokens = await number(card(page, 'Tokens today'));
  await expect(card(page, 'Recent calls').getByRole('columnheader', { name: 'User' })).toBeVisible();
  await expect(card(page, 'Recent calls').getByText(caller.username).first()).toBeVisible();

  await page.goto('/panel/analytics?days=1');
  await expect(card(page, 'Requests').locator('data')).toHaveText(String(CALLS));
  await expect(card(page, 'Spent')).toContainText(spent);
  expect(await number(card(page, 'Tokens'))).toBe(tokens);
  await page.goto('/panel/log');
  await expect(page.getByText(`${CALLS} calls`).first()).toBeVisible();
  await expect(page.getByText(spent).first()).toBeVisible();

  await page.goto('/panel/dashboard');
  await choose(page.getByRole('radio', { name: 'Mine' }));
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard · Mine' })).toBeVisible();
  await expect(card(page, 'Balance')).toBeVisible();
  await expect(requests.locator('data')).toHaveText('0');
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Mine' })).toBeChecked();
});
