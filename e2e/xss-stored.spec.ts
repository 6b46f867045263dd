import type { Page } from '@playwright/test';
import { callsOf, expect, signIn, test, withoutFirstReplies } from './hub.ts';
import { inPanel, settled } from './page-helpers.ts';

/** Each attack would be noticed: by a dialog, a mark on the window, or a request to an unknown host. */
const attacks = [
  '<img src=x onerror="window.hacked=1;alert(1)">',
  '<script>window.hacked=1;alert(1)</script>',
  '<svg onload="window.hacked=1"><script>window.hacked=1</script></svg>',
  '"><iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  "'-alert(1)-'{{constructor.constructor('window.hacked=1')()}}",
];
const html = `<p onmouseover="window.hacked=1">operator</p>${attacks.join('')}<a href="javascript:window.hacked=1">link</a><base href="//evil.invalid/"><style>@import "//evil.invalid/x.css";</style><form action="//evil.invalid"><input name="q"></form>`;
const markdown = `# operator\n\n[link](javascript:window.hacked=1) <https://evil.invalid> ${attacks.join(' ')}`;

// An announcement opens for every new visitor and covers the page.
test.afterEach(async ({ hub }) => {
  const root = await callsOf(hub);
  const values = { Notice: null, About: null, HomePageContent: null, Footer: null, SystemName: null };
  expect(await (await root.put('/api/option/batch', { data: { values } })).json()).toMatchObject({ success: true });
  await root.dispose();
});

interface Watched {
  dialogs: string[];
  foreign: string[];
  violations: string[];
}

/** Records every effect of a successful attack. */
async function watch(page: Page, url: string): Promise<Watched> {
  const seen: Watched = { dialogs: [], foreign: [], violations: [] };
  page.on('dialog', (dialog) => {
    seen.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!/^(data|blob|about):/.test(request.url()) && !request.url().startsWith(url)) seen.foreign.push(request.url());
  });
  await page.exposeFunction('noteViolation', (what: string) => seen.violations.push(what));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const note = Reflect.get(window, 'noteViolation') as (what: string) => void;
      note(`${event.effectiveDirective} ${event.blockedURI}`);
    });
  });
  return seen;
}

test('user input never runs as script', async ({ page, context, hub, upstream }) => {
  test.setTimeout(180_000);
  await signIn(context, hub);
  const seen = await watch(page, hub.url);
  const call = async (method: string, path: string, data?: object) => {
    const answer = await context.request.fetch(hub.url + path, { method, ...(data && { data }) });
    const reply = (await answer.json()) as { success: boolean; message: string; data: never };
    expect(reply, `${path}: ${reply.message}`).toMatchObject({ success: true });
    return reply;
  };
  const [short = '', script = ''] = attacks;
  const option = (key: string, value: string) => call('PUT', '/api/option/', { key, value });

  // Every text that a user can enter, at every place that accepts it.
  for (const key of ['Notice', 'About', 'HomePageContent', 'Footer']) await option(key, html);
  await option('SystemName', '<b onclick=hacked>X</b>');
  for (const name of attacks.map((text) => text.slice(0, 30)))
    await call('POST', '/api/token/', { name, unlimited_quota: true });
  const channel = { type: 8, key: 'sk-x', base_url: upstream.url, group: 'default', tag: short.slice(0, 32) };
  const models = `gpt-4o,${short.replaceAll(/[,\s]/g, '')}`;
  const [added] = (await call('POST', '/api/channel/', { ...channel, name: short, models })).data as { id: number }[];
  await call('POST', '/api/user_group/', { symbol: 'xss', name: short, ratio: 1, api_rate: 600, public: true });
  const person = { username: 'mallory', password: 'a-password-1', group: 'default', display_name: short.slice(0, 20) };
  const mallory = (await call('POST', '/api/user/', person)).data as { id: number };
  await call('PUT', '/api/user/self', { display_name: short.slice(0, 20) });
  await call('POST', '/api/redemption/', { name: short.slice(0, 20), quota: 5, count: 1 });
  await call('POST', '/api/model_ownedby/', { id: 4000, name: short, icon: '/api/user/logout' });
  await call('POST', '/api/prices/single', {
    model: '<img-src=x>',
    type: 'tokens',
    channel_type: 1,
    input: 1,
    output: 1,
  });
  // A call stores texts of the caller and of the model in the log.
  const made = await call('POST', '/api/token/', { name: '<script>', unlimited_quota: true });
  const { token, key } = made.data as { token: { id: number }; key: string };
  await context.request.post(`${hub.url}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}`, 'user-agent': script },
    data: { model: 'gpt-4o', messages: [{ role: 'user', content: html }] },
  });
  let row: { id: number } | undefined;
  await expect(async () => {
    const { data } = await call('GET', '/api/log/?size=1&token_name=%3Cscript%3E');
    [row] = (data as { data: { id: number }[] }).data;
    expect(row).toBeDefined();
  }).toPass({ timeout: 15_000 });

  const pages = ['/', '/about', '/price', '/panel/dashboard', '/panel/token', `/panel/token?edit=${token.id}`]
    .concat(['/panel/channel', `/panel/channel?edit=${added?.id}`, '/panel/log', `/panel/log?id=${row?.id}`])
    .concat(['/panel/user', `/panel/user?edit=${mallory.id}`, `/panel/user?show=${mallory.id}`])
    .concat([`/panel/channel?show=${added?.id}`, `/panel/token?show=${token.id}`])
    .concat(['/panel/user_group', '/panel/redemption', '/panel/profile', '/panel/pricing', '/panel/model_price'])
    .concat([
      '/panel/analytics',
      '/panel/books',
      '/panel/topup',
      '/panel/setting',
      '/panel/audit',
      '/panel/model_ownedby',
    ]);
  for (const address of pages) {
    await page.goto(address);
    const over = page.getByRole('dialog').or(page.getByRole('complementary').getByRole('heading'));
    if (/[?&](edit|id|show)=/.test(address)) await over.first().waitFor();
    await settled(page);
    expect(await page.evaluate(() => Reflect.get(window, 'hacked')), address).toBeUndefined();
    expect(await page.locator('[onerror], [onload], [onclick], [onmouseover]').count(), address).toBe(0);
    expect(
      await page.locator('a[href^="javascript:"], iframe[srcdoc], base, form[action*=evil]').count(),
      address,
    ).toBe(0);
  }
  expect(seen.dialogs).toEqual([]);
  expect(seen.foreign).toEqual([]);
  expect(seen.violations).toEqual([]);
  // The image whose address signs out did not end the session.
  await call('GET', '/api/user/self');
});

test('an operator’s HTML and text are shown without scripts', async ({ page, context, hub }) => {
  await signIn(context, hub);
  const seen = await watch(page, hub.url);
  const set = (key: string, value: string) => context.request.put(`${hub.url}/api/option/`, { data: { key, value } });
  for (const text of [html, markdown]) {
    await set('About', text);
    await page.goto('/about');
    await expect(page.getByText('operator').first()).toBeVisible();
    await page.getByText('operator').first().hover();
    expect(await page.evaluate(() => Reflect.get(window, 'hacked'))).toBeUndefined();
  }
  expect(seen.violations).toEqual([]);
  // If a stored text predates the sanitizer, or the server did not sanitize it, the browser does.
  await withoutFirstReplies(page);
  await page.route('**/api/about', (route) => route.fulfill({ json: { success: true, message: '', data: html } }));
  await page.goto('/about');
  await expect(page.getByText('operator').first()).toBeVisible();
  await page.getByText('operator').first().hover();
  expect(await page.locator('[onmouseover], [onerror], iframe, form, a[href^="javascript:"]').count()).toBe(0);
  expect(await page.evaluate(() => Reflect.get(window, 'hacked'))).toBeUndefined();
  // The content policy reports the attempt and blocks it.
  expect(seen).toMatchObject({ dialogs: [], foreign: [] });
});

test('an injected script in a page does not run', async ({ page, hub }) => {
  const seen = await watch(page, hub.url);
  await page.goto('/');
  await page.locator('#root > :not(.splash)').first().waitFor({ state: 'attached' });
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.hacked = 1';
    document.body.append(script);
    const image = document.createElement('img');
    image.setAttribute('onerror', 'window.hacked = 2');
    image.src = '/no-such.png';
    document.body.append(image);
  });
  await expect.poll(() => seen.violations.length, 'violations').toBeGreaterThan(0);
  expect(await page.evaluate(() => Reflect.get(window, 'hacked'))).toBeUndefined();
});

test('signing in leads to no other site', async ({ browser, hub }) => {
  for (const target of ['//evil.invalid', 'https://evil.invalid', '/\\evil.invalid', 'javascript:alert(1)']) {
    // A separate browser for each, without earlier sessions.
    const context = await browser.newContext({ baseURL: hub.url, locale: 'en-US' });
    const page = await context.newPage();
    await page.goto(`/login?redirect=${encodeURIComponent(target)}`);
    await page.getByLabel('Username or email').fill('root');
    await page.getByLabel('Password', { exact: true }).fill(hub.rootPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await inPanel(page);
    expect(new URL(page.url()).origin).toBe(hub.url);
    await context.close();
  }
});
