import type { Page } from '@playwright/test';
import { isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';
import { choose } from './page-helpers.ts';
import { phone } from './parts.ts';

/** Uses a separate server: figures count every call. */
const test = base.extend<object, { hub: Hub }>({ hub: [newHub(), { scope: 'worker' }] });

test.describe.configure({ mode: 'serial' });

const ann = { username: 'ann.reads', password: 'a-long-password-1' };
const ids = { good: 0, bad: 0, ann: 0, token: 0 };
const keys = { token: '', call: '' };

test.beforeAll(async ({ hub, upstream }) => {
  const root = await callsOf(hub);
  const done = async <T>(calls: typeof root, path: string, data: object): Promise<T> => {
    const answer = (await (await calls.post(path, { data })).json()) as { success: boolean; data: T };
    expect(answer).toMatchObject({ success: true });
    return answer.data;
  };
  const channel = { type: 8, key: 'sk-any-key-0001', models: 'gpt-4o-mini' };
  const add = async (more: object) => (await done<[{ id: number }]>(root, '/api/channel/', { ...channel, ...more }))[0];
  // The first one fails each call, and the second answers it.
  ids.bad = (await add({ name: 'bad', base_url: 'http://127.0.0.1:9', priority: 9 })).id;
  ids.good = (await add({ name: 'good', base_url: upstream.url })).id;
  ids.ann = (await done<{ id: number }>(root, '/api/user/', { ...ann, group: 'default', quota: 5_000_000 })).id;
  const own = await callsOf(hub, ann);
  const { token, key } = await done<{ token: { id: number }; key: string }>(own, '/api/token/', {
    name: 'reader',
    unlimited_quota: true,
  });
  ids.token = token.id;
  keys.token = key;
  // Another token of the same name, whose calls are not the first one's.
  const other = await done<{ key: string }>(own, '/api/token/', { name: 'reader', unlimited_quota: true });
  const ask = (model: string, bearer = key): Promise<Response> =>
    fetch(`${hub.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
  const answer = await ask('gpt-4o-mini');
  expect(answer.status).toBe(200);
  keys.call = answer.headers.get('x-oneapi-request-id') ?? '';
  expect((await ask('gpt-9', other.key)).status).toBe(404);
  expect((await ask('gpt-9')).status).toBe(404);
  await Promise.all([root.dispose(), own.dispose()]);
});

const view = (page: Page, name: string) => page.getByRole('dialog', { name });
const figure = (page: Page, name: string) => page.getByRole('dialog').locator('dl > div', { hasText: name }).first();

test('rows lead to read views with their own address; arrow keys walk, Edit leads to the form and back', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.goto('/panel/channel?order=id');
  await page.getByRole('row', { name: /bad/ }).getByText('bad', { exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`show=${ids.bad}`));
  await expect(view(page, 'bad').getByText('connection failed').first()).toBeVisible();
  await expect(figure(page, 'Attempts OK')).toContainText('1 of 1 failed');
  await expect(view(page, 'bad').getByText('answered by good')).toBeVisible();
  await isFineInEitherTheme(page);
  await page.emulateMedia({ colorScheme: 'light' });

  await page.keyboard.press('ArrowDown');
  await expect(view(page, 'good')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`show=${ids.good}`));
  await expect(figure(page, 'Calls answered')).toContainText('1');
  await choose(view(page, 'good').getByRole('radio', { name: '7 days' }));
  await expect(view(page, 'good').getByRole('heading', { name: 'Attempts per 6 hours' })).toBeVisible();

  await view(page, 'good').getByRole('button', { name: 'Edit' }).click();
  await expect(view(page, 'Edit channel')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(view(page, 'good')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.locator('tr[data-row]:focus')).toContainText('good');
});

test('users, models and tokens have read views, and axe finds nothing, on phones neither', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  const views: [address: string, name: string, text: string][] = [
    [`/panel/user?show=${ids.ann}`, ann.username, 'model not found'],
    ['/panel/pricing?show=gpt-4o-mini', 'gpt-4o-mini', 'Served by'],
    [`/panel/token?scope=all&show=${ids.token}`, 'reader', 'No limits are set.'],
  ];
  for (const [address, name, text] of views) {
    await page.goto(address);
    await expect(view(page, name).getByText(text).first()).toBeVisible();
    await expect(figure(page, 'Calls OK')).toContainText('0 of 1 failed');
    await isFineInEitherTheme(page);
    await page.emulateMedia({ colorScheme: 'light' });
  }
  await page.setViewportSize(phone);
  await page.goto(`/panel/channel?show=${ids.bad}`);
  await expect(view(page, 'bad').getByText('connection failed').first()).toBeVisible();
  await isFineInEitherTheme(page);
  await page.emulateMedia({ colorScheme: 'light' });

  // An unknown record, and a reply that does not come.
  await page.goto('/panel/channel?show=4711');
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
  const activity = `**/api/activity/channel/${ids.good}*`;
  await page.route(activity, (route) => route.fulfill({ status: 500, json: { success: false, message: 'Broken' } }));
  await page.goto(`/panel/channel?show=${ids.good}`);
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('Broken');
  await page.unroute(activity);
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(figure(page, 'Calls answered')).toContainText('1');
});

test('owners see their own tokens without channels, and the palette leads to a view', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub, ann);
  await page.goto('/panel/dashboard');
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('reader');
  await page.getByRole('option', { name: new RegExp(`#${ids.token}\\b`) }).click();
  await expect(page).toHaveURL(new RegExp(`/panel/token\\?show=${ids.token}`));
  await expect(figure(page, 'Calls OK')).toContainText('0 of 1 failed');
  await expect(view(page, 'reader').getByText('model not found')).toBeVisible();
  await expect(view(page, 'reader').getByText('good')).toHaveCount(0);

  await view(page, 'reader').getByRole('link', { name: 'Calls' }).click();
  await expect(page).toHaveURL(new RegExp(`/panel/log\\?token_id=${ids.token}`));
  await expect(page.getByText(`reader #${ids.token}`).first()).toBeVisible();
  // One answered and one refused; the other token has a refused one too.
  await expect(page.locator('tr[data-row]')).toHaveCount(2);

  const jump = async (typed: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(typed);
  };
  await jump(keys.call);
  await page.getByRole('option', { name: new RegExp(keys.call) }).click();
  await expect(page).toHaveURL(new RegExp(`request_id=${keys.call}`));
  await page.keyboard.press('Escape');
  await jump(keys.token.slice(-4));
  await page.getByRole('option', { name: new RegExp(`#${ids.token} · …${keys.token.slice(-4)}`) }).click();
  await expect(page).toHaveURL(new RegExp(`show=${ids.token}`));
});
