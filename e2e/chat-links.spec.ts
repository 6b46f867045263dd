import type { Page } from '@playwright/test';
import { isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';
import { phone } from './parts.ts';

/** Uses a separate server: it changes the chat links of the site. */
const test = base.extend<object, { hub: Hub }>({ hub: [newHub({ CHAT_LINKS: '1' }), { scope: 'worker' }] });

test.describe.configure({ mode: 'serial' });

/** A chat client on the internet that shows its own address. */
const serveClient = (page: Page) =>
  page.context().route('https://chat.example/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<p id=where></p><script>where.textContent = location.hash; try { if (top !== self) top.location.href = '/gone' } catch {}</script>`,
    }),
  );

let key = '';
test.beforeAll(async ({ hub }) => {
  const api = await callsOf(hub);
  const reply = await api.post('/api/token/', { data: { name: 'chatter', unlimited_quota: true } });
  key = ((await reply.json()) as { data: { key: string } }).data.key;
  await api.dispose();
});

test.beforeEach(async ({ context, hub }) => signIn(context, hub));

const setting = (page: Page) => page.locator('#setting-ChatLinks');
const save = (page: Page) => page.getByRole('button', { name: /^Save/ }).click();

test('the editor shows where a link leads, tests it with a sample key, and names what is wrong', async ({
  page,
  hub,
}) => {
  await serveClient(page);
  await page.goto('/panel/setting');
  const rows = setting(page).getByRole('listitem');
  await setting(page).getByRole('button', { name: 'Add link' }).click();
  const row = rows.last();
  await row.getByLabel('Name').fill('Own chat');
  const url = row.getByLabel('URL');
  for (const [bad, message] of [
    ['javascript:alert(1)', 'Only web pages and apps can be opened'],
    ['data:text/html,x', 'Only web pages and apps can be opened'],
    ['http://192.168.1.5/{key}', 'Use a public host'],
    ['https://{key}.evil.example/', 'Use a public host'],
    ['chat.example', 'Enter a URL'],
    ['app://x?{authCode}', 'Unknown placeholder'],
  ] as const) {
    await url.fill(bad);
    await expect(url).toHaveAttribute('aria-invalid', 'true');
    await expect(row.getByText(message)).toBeVisible();
    await expect(row.getByRole('button', { name: /^Test/ })).toHaveCount(0);
  }
  // The server refuses it as well, and names the setting.
  await save(page);
  await expect(setting(page).getByText(/unknown placeholder; known are/)).toBeVisible();

  await url.fill('https://chat.example/?k={key}');
  await expect(row.getByText(/ends up in that site’s server log/)).toBeVisible();
  await url.fill('https://chat.example/#{key}@{server}');
  await expect(row).toContainText(
    `Opens chat.example · https://chat.example/#sk-example@${encodeURIComponent(hub.url)}`,
  );
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    row.getByRole('button', { name: 'Test Own chat' }).click(),
  ]);
  await expect(tab).toHaveURL(/chat\.example\/#sk-example@/);
  await tab.close();

  await row.getByRole('switch', { name: 'Open inside the console' }).check();
  await row.getByLabel('Order').fill('9');
  await save(page);
  const stored = async () => {
    const { data } = (await (await page.request.get('/api/status')).json()) as { data: { chat_links: string } };
    return JSON.parse(data.chat_links) as unknown[];
  };
  await expect.poll(stored, 'stored links').toContainEqual({
    id: expect.any(Number),
    name: 'Own chat',
    url: 'https://chat.example/#{key}@{server}',
    show: true,
    sort: 9,
    embed: true,
  });
});

test('a marked link opens in a frame that the policy allows; the key goes there by a press only', async ({
  page,
  hub,
}) => {
  await serveClient(page);
  await page.goto('/panel/token');
  await page.getByRole('button', { name: 'Chat clients' }).click();
  await page.getByRole('menuitem', { name: 'Own chat' }).click();
  await expect(page.getByRole('heading', { name: 'Own chat' })).toBeVisible();
  await expect(page.getByText('Once opened, chat.example has the key of this token.')).toBeVisible();
  await expect(page.locator('iframe')).toHaveCount(0);
  await page.reload();
  await page.getByRole('button', { name: 'Open here' }).click();
  await expect(page.frameLocator('iframe').locator('#where')).toHaveText(`#${key}@${encodeURIComponent(hub.url)}`);
  // It cannot navigate the console.
  await expect(page).toHaveURL(/\/panel\/chat/);
  await expect(page.locator('iframe')).toHaveAttribute('sandbox', /^(?!.*top-navigation).*allow-scripts/);

  // From the menu of a token; other links open a tab.
  await page.goto('/panel/token');
  await page
    .getByRole('row', { name: /chatter/ })
    .getByRole('button', { name: /^Use/ })
    .click();
  await page.getByRole('menuitem', { name: 'Own chat' }).click();
  await expect(page).toHaveURL(/client=Own(\+|%20)chat&token=\d+/);
});

test('a link that was not marked when the tab was loaded is not framed, and the page says what to do', async ({
  page,
  hub,
}) => {
  await serveClient(page);
  const api = await callsOf(hub);
  const set = (embed: boolean) =>
    api.put('/api/option/', {
      data: {
        key: 'ChatLinks',
        value: JSON.stringify([
          { name: 'Late', url: 'https://chat.example/#{key}', show: true, sort: 1, ...(embed && { embed }) },
        ]),
      },
    });
  await set(false);
  await page.goto('/panel/chat');
  await expect(page.getByRole('button', { name: 'Open here' })).toHaveCount(0);
  await set(true);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback();
    // The page of before, with the policy of before.
    const response = await route.fetch();
    const headers = response.headers();
    const policy = headers['content-security-policy']?.replace(' https://chat.example', '');
    return route.fulfill({
      response,
      headers: policy === undefined ? headers : { ...headers, 'content-security-policy': policy },
    });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Open here' }).click();
  await expect(page.getByText('Reload to show the client.')).toBeVisible();
  await page.unroute('**/*');
  await page.getByRole('button', { name: 'Reload page' }).click();
  await page.getByRole('button', { name: 'Open here' }).click();
  await expect(page.frameLocator('iframe').locator('#where')).toHaveText(`#${key}`);
  await api.dispose();
});

test('/jump opens the apps of the configured links only, and shows where it leads', async ({ page, context, hub }) => {
  const api = await callsOf(hub);
  const links = [{ name: 'My app', url: 'myapp://open?k={key}', show: false, sort: 0 }];
  await api.put('/api/option/', { data: { key: 'ChatLinks', value: JSON.stringify(links) } });
  await api.dispose();
  const wire = await context.newCDPSession(page);
  await wire.send('Page.enable');
  const requests: string[] = [];
  wire.on('Page.frameRequestedNavigation', ({ url }) => requests.push(url));
  const jump = (target: string) => page.goto(`/jump?url=${encodeURIComponent(target)}`, { waitUntil: 'commit' });
  await jump('opencat://team/join?domain=https://hub.example&token=sk-1');
  await expect(page.getByRole('heading', { name: 'This link is not valid' })).toBeVisible();
  await jump('myapp://open?server=https://evil.example&k=sk-secret');
  await expect(page.getByRole('heading', { name: 'Opening My app…' })).toBeVisible();
  await expect(page.getByText('myapp://open?server=https://evil.example&k=••••')).toBeVisible();
  await expect.poll(() => requests, 'opened apps').toEqual(['myapp://open?server=https://evil.example&k=sk-secret']);
});

for (const size of ['desk', 'phone'] as const)
  test(`chat client and editor: axe finds nothing in either theme (${size})`, async ({ page, hub }) => {
    if (size === 'phone') await page.setViewportSize(phone);
    const api = await callsOf(hub);
    await api.put('/api/option/', {
      data: {
        key: 'ChatLinks',
        value: '[{"name":"A","url":"https://chat.example/?{key}","show":true,"sort":1,"embed":true}]',
      },
    });
    await api.dispose();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto('/panel/chat');
    await expect(page.getByRole('button', { name: 'Open here' })).toBeVisible();
    await isFineInEitherTheme(page);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto('/panel/setting');
    await setting(page).scrollIntoViewIfNeeded();
    await setting(page).getByRole('textbox', { name: 'URL' }).fill('nothing');
    await expect(setting(page).getByText('Enter a URL')).toBeVisible();
    await isFineInEitherTheme(page);
  });
