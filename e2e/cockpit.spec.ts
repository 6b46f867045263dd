import { expect, type Page } from '@playwright/test';
import { isFineInEitherTheme } from './axe.ts';
import { callsOf, type Hub, newHub, signIn, test as base } from './hub.ts';
import { choose } from './page-helpers.ts';
import { phone } from './parts.ts';

/** The live view of the dashboard, and notifications in the bell. Uses a separate server. */
const test = base.extend<object, { hub: Hub }>({ hub: [newHub(), { scope: 'worker' }] });
test.describe.configure({ mode: 'serial' });

const caller = { username: 'caller', password: 'a-password-of-caller' };
let key = '';

const called = async (hub: Hub, model: string): Promise<number> => {
  const own = await callsOf(hub, caller);
  const answer = await own.post('/v1/chat/completions', {
    headers: { authorization: `Bearer ${key}` },
    data: { model, stream: true, messages: [{ role: 'user', content: 'Hello' }] },
  });
  await own.dispose();
  return answer.status();
};

test.beforeAll(async ({ hub, upstream }) => {
  const root = await callsOf(hub);
  const channel = { type: 8, key: 'sk-any-key', base_url: upstream.url, models: 'gpt-4o-mini' };
  const weak = { ...channel, name: 'weak', priority: 9, model_mapping: '{ "gpt-4o-mini": "+sim:status=503" }' };
  for (const each of [weak, { ...channel, name: 'strong', priority: 1 }])
    expect((await root.post('/api/channel/', { data: each })).ok()).toBe(true);
  await root.post('/api/user/', { data: { ...caller, group: 'default', quota: 5_000_000 } });
  const own = await callsOf(hub, caller);
  const token = await own.post('/api/token/', { data: { name: 'one', unlimited_quota: true } });
  ({ key } = ((await token.json()) as { data: { key: string } }).data);
  await own.dispose();
  await root.dispose();
});

test.beforeEach(async ({ context, hub }) => signIn(context, hub));

const openLive = async (page: Page): Promise<void> => {
  await page.goto('/panel/dashboard');
  await choose(page.getByRole('radio', { name: 'Live' }), { force: true });
  await expect(page).toHaveURL(/view=live/);
};

test('a call appears at its caller, its channels and in the numbers, and leads to the log', async ({ page, hub }) => {
  await openLive(page);
  await expect(page.getByText('No calls in the last hour')).toBeVisible();
  expect(await called(hub, 'gpt-4o-mini')).toBe(200);
  expect(await called(hub, 'no-such-model')).toBe(404);
  const flow = page.getByRole('region', { name: 'Where calls go' });
  await expect(flow).toContainText('2 calls · 2 attempts');
  await expect(flow).toContainText('1 refused·1 retry·0 failed');
  const table = (name: string) => flow.getByRole('table', { name: `Calls of the last hour: ${name}` });
  await expect(table('Users').getByRole('row', { name: 'caller' })).toHaveText('caller210');
  await expect(table('Channels').getByRole('row', { name: 'weak' })).toContainText('weak11');
  await expect(table('Channels').getByRole('row', { name: 'strong' })).toContainText('strong10');
  const trouble = page.getByRole('region', { name: 'Latest trouble' });
  await expect(trouble.getByRole('link', { name: /no-such-model/ })).toContainText('404');
  await isFineInEitherTheme(page);

  await page
    .getByRole('list', { name: 'Channels' })
    .getByRole('link', { name: /strong/ })
    .click();
  await expect(page).toHaveURL(/\/panel\/log\?.*channel_id=/);
  await expect(page.getByRole('row').filter({ hasText: 'gpt-4o-mini' })).toHaveCount(1);
});

test('no stream is open while it is paused, and the phone has lists instead of bands', async ({ page }) => {
  await page.setViewportSize(phone);
  await openLive(page);
  await expect(page.getByRole('link', { name: /caller/ }).first()).toBeVisible();
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/dashboard/live'));
  await page.getByRole('button', { name: 'Pause' }).click();
  await ended;
  await expect(page.getByRole('button', { name: 'Resume' })).toBeVisible();
  await isFineInEitherTheme(page);
});

test('a channel that was switched off is in the bell until it is read, and leads to the channel', async ({
  page,
  hub,
  upstream,
}) => {
  const root = await callsOf(hub);
  await root.put('/api/option/batch', { data: { values: { AutomaticDisableChannelEnabled: 'true' } } });
  const revoked = { type: 8, name: 'revoked', key: 'sk-any-key', base_url: upstream.url, models: 'gpt-4o' };
  await root.post('/api/channel/', { data: { ...revoked, model_mapping: '{ "gpt-4o": "+sim:status=401" }' } });
  expect(await called(hub, 'gpt-4o')).not.toBe(200);
  await expect(async () => {
    const { data } = (await (await root.get('/api/user/self')).json()) as { data: { unread_notifications: number } };
    expect(data.unread_notifications).toBe(1);
  }).toPass();
  await root.dispose();

  await page.goto('/panel/token');
  await page.getByRole('button', { name: 'Announcement, 1 unread' }).click();
  const dialog = page.getByRole('dialog', { name: 'Announcement' });
  const line = dialog.getByRole('link', { name: /Unread: Channel revoked was disabled automatically/ });
  await expect(line).toBeVisible();
  await isFineInEitherTheme(page);
  await dialog.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(line).toHaveCount(0);
  await dialog.getByRole('link', { name: /Channel revoked/ }).click();
  await expect(page).toHaveURL(/\/panel\/channel\?.*show=/);
  await expect(page.getByRole('button', { name: 'Announcement', exact: true, includeHidden: true })).toHaveCount(1);
});
