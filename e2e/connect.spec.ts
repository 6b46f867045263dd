import { isFineInEitherTheme } from './axe.ts';
import { dialog, openTool, test } from './connect-page.ts';
import { expect, signIn } from './hub.ts';
import { copiedText } from './page-helpers.ts';
import { phone } from './parts.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test.beforeEach(async ({ context, hub }) => signIn(context, hub));

test('the fields of a form are copied one by one, and the key only by choice', async ({ page, hub, keys }) => {
  const cursor = await openTool(page, 'cursor', 'Cursor');
  const field = (name: string) => cursor.getByRole('button', { name: `Copy ${name}` });
  await field('Override OpenAI Base URL').click();
  expect(await copiedText(page, /\/v1$/)).toBe(`${hub.url}/v1`);
  await field('OpenAI API Key').click();
  expect(await copiedText(page, /^sk-/)).toBe(keys['first']);

  let reveals = 0;
  page.on('request', (request) => (reveals += Number(request.url().endsWith('/reveal'))));
  await cursor.getByRole('switch', { name: 'Include the key when copying' }).uncheck();
  await field('OpenAI API Key').click();
  expect(await copiedText(page, /^YOUR/)).toBe('YOUR_TOKEN');
  expect(reveals).toBe(0);
  await expect(cursor.getByText('sk-', { exact: false })).toHaveCount(0);
});

test('a token’s menu opens the recipes with that token, by keyboard, and Back closes them', async ({ page }) => {
  await page.goto('/panel/token');
  await page.getByRole('row', { name: /first/ }).getByRole('button', { name: /^Use/ }).click();
  await page.getByRole('menuitem', { name: 'Use in a tool…' }).click();
  const opened = dialog(page, 'Claude Code');
  await expect(opened.getByLabel('Token', { exact: true })).toHaveText(/first/);
  // The search has the focus; Enter selects its first result, and the arrow keys walk on.
  await page.keyboard.type('zed');
  await page.keyboard.press('Enter');
  await expect(dialog(page, 'Zed')).toBeVisible();
  await expect(page).toHaveURL(/connect=zed/);
  await dialog(page, 'Zed').getByLabel('Search tools').fill('');
  await page.getByRole('radio', { name: 'Zed' }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(dialog(page, 'opencode')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page).toHaveURL(/\/panel\/token$/);

  await page.goto('/panel/dashboard');
  await page.getByRole('main').getByRole('link', { name: 'Connect a tool' }).click();
  await expect(opened).toBeVisible();
});

test('the home page leads to the recipes, by the sign-in page for a visitor', async ({ browser, hub, baseURL }) => {
  const context = await browser.newContext({ ...(baseURL && { baseURL }), locale: 'en-US' });
  const page = await context.newPage();
  await page.goto('/');
  await page.getByRole('link', { name: 'Use in Claude Code, Codex, Cursor and other tools' }).click();
  await page.getByLabel('Username or email').fill('root');
  await page.getByLabel('Password', { exact: true }).fill(hub.rootPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(dialog(page, 'Claude Code')).toBeVisible();
  await context.close();
});

test('a link opens an app with the key, fetched by the press only', async ({ page, context, keys }) => {
  const wire = await context.newCDPSession(page);
  await wire.send('Page.enable');
  const requests: string[] = [];
  wire.on('Page.frameRequestedNavigation', ({ url }) => requests.push(url));
  const cherry = await openTool(page, 'cherry-studio', 'Cherry Studio');
  expect(requests).toEqual([]);
  await cherry.getByRole('button', { name: 'Cherry Studio' }).click();
  await expect.poll(() => requests.length, 'opened apps').toBe(1);
  const data = new URL(requests.join('')).searchParams.get('data') ?? '';
  expect(JSON.parse(Buffer.from(data, 'base64').toString())).toMatchObject({ apiKey: keys['first'] });
});

test('all marks of a page come in one file, which browsers keep', async ({ page, request, hub }) => {
  const files = new Set<string>();
  page.on('request', (sent) => /\.svg|\/icons\//.test(sent.url()) && files.add(sent.url()));
  await page.goto('/panel/model_ownedby');
  const marks = page.locator('svg use[href*=".svg#"]');
  await expect.poll(() => marks.count(), 'marks').toBeGreaterThan(10);
  await expect.poll(() => files.size, 'files of marks').toBe(1);
  const file = await request.get([...files].join());
  expect(file.headers()).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'image/svg+xml',
    'x-content-type-options': 'nosniff',
  });
  expect(await file.text()).toContain('<symbol id="openai"');
  expect((await request.get(`${hub.url}/icons/LICENSES.txt`)).status()).toBe(200);
  for (const path of ['/icons/none.svg', '/icons/..%2findex.html', '/icons/'])
    expect((await request.get(hub.url + path)).headers()['content-type']).not.toMatch(/svg/);
  expect((await request.get(`${hub.url}/icons/none.svg`)).status()).toBe(404);
});

for (const size of ['desk', 'phone'] as const)
  test(`recipes: axe finds nothing in either theme, and nothing is too wide (${size})`, async ({ page }) => {
    if (size === 'phone') await page.setViewportSize(phone);
    for (const [id, name] of [
      ['claude-code', 'Claude Code'],
      ['cherry-studio', 'Cherry Studio'],
    ] as const) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`/panel/token?connect=${id}`);
      await expect(
        dialog(page, name)
          .getByText(/first|second/)
          .first(),
      ).toBeVisible();
      await isFineInEitherTheme(page);
    }
  });
