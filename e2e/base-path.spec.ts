import OpenAI from 'openai';
import { expect, type Hub, newHub, test as base } from './hub.ts';

const test = base.extend<object, { hub: Hub }>({ hub: [newHub({ BASE_PATH: '/hub' }), { scope: 'worker' }] });

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('below a path: sign in, call, open pages and records, reload, sign out; nothing is requested outside', async ({
  page,
  hub,
  upstream,
}) => {
  const faults: string[] = [];
  const asked = new Set<string>();
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('response', (response) => {
    const { origin, pathname } = new URL(response.url());
    asked.add(pathname);
    const isBelow = origin !== new URL(hub.url).origin || /^\/hub(\/|$)/.test(pathname);
    if (!isBelow || response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  const send = async (path: string, data: object): Promise<unknown> => {
    const answer = await page.request.post(hub.url + path, { data });
    const { data: reply } = (await answer.json()) as { data: unknown };
    return reply;
  };

  await test.step('a page for users leads to the form and back', async () => {
    expect(hub.url).toMatch(/\/hub$/);
    await page.goto(`${hub.url}?lng=en_US`);
    await expect(page).toHaveURL(`${hub.url}/?lng=en_US`);
    await page.goto(`${hub.url}/panel/token?keyword=first`);
    await expect(page).toHaveURL(/\/hub\/login\?redirect=%2Fpanel%2Ftoken/);
    await page.getByLabel('Username or email').fill('root');
    await page.getByLabel('Password', { exact: true }).fill(hub.rootPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page).toHaveURL(`${hub.url}/panel/token?keyword=first`);
    await expect(page.getByText(`${hub.url}/v1`, { exact: true })).toBeVisible();
    const stored = await page.evaluate(() => [Object.keys(localStorage), document.cookie]);
    expect(stored[0]).toContain('/hubuser');
    expect(stored[0]).not.toContain('user');
  });

  await test.step('a call with a token of this hub', async () => {
    const models = 'gpt-4o-mini';
    const key = 'sk-upstream';
    await send('/api/channel/', { type: 8, name: 'simulated', key, base_url: upstream.url, models });
    const token = (await send('/api/token/', { name: 'first', unlimited_quota: true })) as { key: string };
    const client = new OpenAI({ apiKey: token.key, baseURL: `${hub.url}/v1` });
    const reply = await client.chat.completions.create({
      model: models,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(reply.choices[0]?.message.content).toMatch(/Hello!/);
    const { address } = (await send('/api/option/picture', { data: pixel })) as { address: string };
    await page.request.put(`${hub.url}/api/option/`, { data: { key: 'Logo', value: address } });
    await page.request.put(`${hub.url}/api/option/`, {
      data: { key: 'Footer', value: '<a href="/about">About us</a>' },
    });
  });

  await test.step('reload a page deep inside: its rows, files and pictures', async () => {
    asked.clear();
    await page.reload();
    await expect(page.getByRole('row', { name: /first/ })).toBeVisible();
    // The page has its first replies in it.
    expect([...asked]).toContain('/hub/panel/token');
    expect([...asked]).not.toContain('/hub/api/status');
    const logo = page.getByRole('banner').or(page.locator('aside, header')).locator('img').first();
    await expect(logo).toHaveAttribute('src', /^\/hub\/pictures\//);
    await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  });

  await test.step('lazily loaded parts: another page, the palette, a record', async () => {
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await expect(page).toHaveURL(/\/hub\/panel\/log/);
    await expect(page.getByRole('row', { name: /gpt-4o-mini/ })).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('first');
    await page.getByRole('option', { name: /^first/ }).click();
    await expect(page).toHaveURL(/\/hub\/panel\/token\?show=1/);
    await expect(page.getByRole('dialog', { name: /first/ })).toBeVisible();
    await page.goto(`${hub.url}/panel/ledger`);
    await expect(page.getByRole('link', { name: 'Export CSV' })).toHaveAttribute(
      'href',
      /^\/hub\/api\/\S+language=en-US/,
    );
    await page.goto(`${hub.url}/api/docs`);
    await expect(page.getByRole('heading', { name: /Relay Hub management API/ })).toBeVisible();
  });

  await test.step('sign out', async () => {
    await page.goto(`${hub.url}/panel/profile`);
    await page.getByRole('button', { name: 'Account: root' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(`${hub.url}/`);
    await expect(page.getByRole('link', { name: 'About us' })).toHaveAttribute('href', '/hub/about');
    await page.goto(`${hub.url}/panel`);
    await expect(page).toHaveURL(/\/hub\/login/);
  });

  expect(faults).toEqual([]);
});
