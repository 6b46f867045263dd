import type { APIRequestContext, Browser, BrowserContext, Page, Route } from '@playwright/test';
import { startGitHub } from '../testing/elsewhere/local-github.ts';
import { startLark } from '../testing/elsewhere/local-lark.ts';
import { startOidc } from '../testing/elsewhere/local-oidc.ts';
import { startTelegram } from '../testing/elsewhere/local-telegram.ts';
import { startWeChat } from '../testing/elsewhere/local-wechat.ts';
import { callsOf, expect, type Hub, signIn, test } from './hub.ts';
import { editBy, expectToast, inPanel, recordToasts } from './page-helpers.ts';

/** Sign-in and linking with external accounts: a real OpenID provider, and simulations of the others. */
test.describe.configure({ mode: 'serial' });

let oidc: Awaited<ReturnType<typeof startOidc>>;
let github: Awaited<ReturnType<typeof startGitHub>>;
let lark: Awaited<ReturnType<typeof startLark>>;
let wechat: Awaited<ReturnType<typeof startWeChat>>;
let telegram: Awaited<ReturnType<typeof startTelegram>>;
let root: APIRequestContext;

async function set(values: Record<string, string | null>): Promise<void> {
  const answer = await root.put('/api/option/batch', { data: { values } });
  expect(await answer.json()).toMatchObject({ success: true });
}

/** A browser without a session. */
async function stranger(browser: Browser, hub: Hub): Promise<Page> {
  const context = await browser.newContext({ baseURL: hub.url, locale: 'en-US' });
  await recordToasts(context);
  return context.newPage();
}

/** A browser with root signed in. */
async function asRoot(context: BrowserContext, hub: Hub): Promise<void> {
  await recordToasts(context);
  await signIn(context, hub);
}

async function passProvider(page: Page, name: string): Promise<void> {
  // The pages of the hub have "User name" and "Sign in" as well.
  await expect(page).toHaveURL(new RegExp(`^${oidc.issuer}/`));
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

let values: Record<string, string> = {};

/** An image of one pixel instead of a QR code. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

test.beforeAll(async ({ hub }) => {
  root = await callsOf(hub);
  oidc = await startOidc(`${hub.url}/oauth/oidc`);
  github = await startGitHub(() => `${hub.url}/oauth/github`);
  lark = await startLark();
  wechat = await startWeChat();
  telegram = await startTelegram();
  values = {
    OIDCIssuer: oidc.issuer,
    OIDCClientId: oidc.clientId,
    OIDCClientSecret: oidc.clientSecret,
    OIDCScopes: 'openid,profile,email',
    OIDCUsernameClaims: 'preferred_username',
    OIDCAuthEnabled: 'true',
    GitHubAddress: github.url,
    GitHubApiAddress: github.url,
    GitHubClientId: github.clientId,
    GitHubClientSecret: github.clientSecret,
    GitHubOAuthEnabled: 'true',
    LarkAddress: lark.url,
    LarkClientId: lark.appId,
    LarkClientSecret: lark.appSecret,
    LarkAuthEnabled: 'true',
    WeChatServerAddress: wechat.url,
    WeChatServerToken: wechat.token,
    WeChatAccountQRCodeImageURL: `data:image/png;base64,${picture}`,
    WeChatAuthEnabled: 'true',
    TelegramApiAddress: telegram.url,
    TelegramBotToken: telegram.token,
    TelegramBotName: telegram.bot,
    TelegramBotEnabled: 'true',
  };
  await set(values);
});

test.afterAll(async () => {
  await set(Object.fromEntries(Object.keys(values).map((key) => [key, null])));
  await Promise.all([root.dispose(), oidc.close(), github.close(), lark.close(), wechat.close(), telegram.close()]);
});

test('an administrator sets up OpenID from a preset and tests the provider’s discovery', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.goto('/panel/setting#OIDCScopes');
  const line = (name: string) => page.getByRole('textbox', { name, exact: true });
  await expect(line('Scopes')).toBeFocused();
  await expect(line('Scopes')).toBeInViewport();
  await expect(page.getByRole('tab', { name: 'System', selected: true })).toBeVisible();
  await page.getByRole('combobox', { name: 'Provider' }).click();
  await page.getByRole('option', { name: 'Authentik' }).click();
  await expect(line('Issuer')).toHaveValue('https://{host}/application/o/{slug}/');
  const button = page.getByRole('button', { name: 'Test discovery' });
  await expect(button).toBeDisabled();
  await line('Issuer').fill(`${oidc.issuer}/`);
  await line('Scopes').fill('openid,groups');
  await button.click();
  await expect(page.getByText('The provider does not list these scopes: groups.')).toBeVisible();
  await expect(page.getByText(`${oidc.issuer}/token`)).toBeVisible();
  await line('Issuer').fill('http://127.0.0.1:1');
  await button.click();
  await expect(page.getByRole('alert')).toContainText('Could not connect to 127.0.0.1:1');
});

test('a new user signs in with OpenID, and the account has one sign-in method', async ({ browser, hub }) => {
  oidc.people.set('liu.wei', { preferred_username: 'liu.wei', name: '刘伟' });
  const page = await stranger(browser, hub);
  await page.goto('/login');
  await page.getByRole('button', { name: 'Sign in with OIDC', exact: true }).click();
  await passProvider(page, 'liu.wei');
  await inPanel(page);
  await expectToast(page, 'Signed in with OIDC');
  await page.goto('/panel/profile');
  await expect(page.getByLabel('Username', { exact: true })).toHaveValue('liu.wei');
  const bindings = page.getByRole('region', { name: 'Connected accounts' });
  await expect(bindings.getByRole('listitem').filter({ hasText: 'OIDC' })).toContainText('Your only sign-in method');
  await expect(bindings.getByRole('button', { name: 'Disconnect OIDC' })).toHaveCount(0);
  // Another provider, so the first one can be removed.
  await bindings.getByRole('button', { name: 'Connect GitHub' }).click();
  await expectToast(page, 'GitHub connected');
  await page.goto('/panel/profile');
  await bindings.getByRole('button', { name: 'Disconnect OIDC' }).click();
  const question = page.getByRole('alertdialog', { name: 'Disconnect OIDC?' });
  await question.getByRole('button', { name: 'Disconnect OIDC' }).click();
  await expectToast(page, 'OIDC disconnected');
  await expect(bindings.getByRole('button', { name: 'Connect OIDC' })).toBeVisible();
  await page.context().close();
});

test('a signed-in user links an account and signs in with it afterwards', async ({ browser, context, page, hub }) => {
  await asRoot(context, hub);
  await page.goto('/panel/profile');
  const bindings = page.getByRole('region', { name: 'Connected accounts' });
  await bindings.getByRole('button', { name: 'Connect OIDC' }).click();
  await passProvider(page, 'the-operator');
  await expectToast(page, 'OIDC connected');
  await inPanel(page);
  const other = await stranger(browser, hub);
  await other.goto('/login');
  await other.getByRole('button', { name: 'Sign in with OIDC', exact: true }).click();
  await passProvider(other, 'the-operator');
  await inPanel(other);
  await other.goto('/panel/profile');
  await expect(other.getByLabel('Username', { exact: true })).toHaveValue('root');
  await other.context().close();
  await page.goto('/panel/profile');
  await bindings.getByRole('button', { name: 'Disconnect OIDC' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect OIDC' }).click();
  await expectToast(page, 'OIDC disconnected');
});

test('without a state there is no redirect to a provider, and the server’s message is shown', async ({
  browser,
  hub,
}) => {
  const page = await stranger(browser, hub);
  await page.goto('/login');
  await page.route('**/api/oauth/state**', (route) =>
    route.fulfill({ json: { success: false, message: 'Signing in with GitHub is off for now.' } }),
  );
  await page.getByRole('button', { name: 'Sign in with GitHub' }).click();
  await expectToast(page, 'Error: Signing in with GitHub is off for now.');
  await expect(page).toHaveURL(`${hub.url}/login`);
  await page.context().close();
});

test('a provider that does not reply is retried, and the page counts the retries', async ({ browser, hub }) => {
  github.user = { id: 42, login: 'mona' };
  const page = await stranger(browser, hub);
  await page.goto('/login');
  // The sign-in page works; the next request of the server fails once. The second try waits until the page was read.
  github.failing = 1;
  const requests: Route[] = [];
  await page.route(/\/api\/oauth\/github\?/, (route) => (requests.push(route) === 2 ? undefined : route.continue()));
  await page.getByRole('button', { name: 'Sign in with GitHub', exact: true }).click();
  await expect(page.getByText('That failed. Retrying (1 of 3)')).toBeVisible();
  await expect.poll(() => requests.length, 'requests').toBe(2);
  await requests[1]?.continue();
  await expectToast(page, 'Signed in with GitHub');
  await inPanel(page);
  await page.context().close();
});

test('an unreachable provider is reported with the number of retries, then the sign-in page opens', async ({
  browser,
  hub,
}) => {
  const page = await stranger(browser, hub);
  await page.clock.install();
  const requests: Route[] = [];
  await page.route(/\/api\/oauth\/github\?/, (route) => void requests.push(route));
  // Each reply waits until the test has read the page.
  const refuse = async (nth: number) => {
    await expect.poll(() => requests.length, 'requests').toBe(nth);
    await requests.at(-1)?.fulfill({ status: 500, json: { success: false, message: 'GitHub is away.' } });
  };
  await page.goto('/oauth/github?code=a&state=b');
  for (const retry of [1, 2, 3]) {
    await refuse(retry);
    await expect(page.getByText(`That failed. Retrying (${retry} of 3)`)).toBeVisible();
    await page.clock.fastForward(2000);
  }
  await refuse(4);
  await expect(page.getByText(/Returning to the sign-in page in \d s.* Retries: 3/)).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('GitHub is away.');
  expect(requests).toHaveLength(4);
  await page.clock.runFor(6000);
  await expect(page).toHaveURL(/\/login$/);
  await page.context().close();
});

test('a forged callback is refused with a message and leads to the sign-in page', async ({ browser, hub }) => {
  const page = await stranger(browser, hub);
  // The countdown starts when the test resumes the clock.
  const now = Date.now();
  await page.clock.setFixedTime(now);
  await page.goto('/oauth/github?code=forged&state=forged');
  await expect(page.getByRole('alert')).toContainText('was started in another browser');
  const leaving = page.getByText(/Returning to the sign-in page in \d s/);
  await expect(leaving).toBeVisible();
  // The refusal came at once, without a retry.
  await expect(leaving).not.toContainText('Retries');
  await page.clock.setFixedTime(now + 3000);
  await expect(page.getByText('Returning to the sign-in page in 2 s')).toBeVisible();
  await page.clock.setFixedTime(now + 6000);
  await expect(page).toHaveURL(/\/login$/);
  await page.goto('/oauth/oidc?error=access_denied&state=x');
  await expect(page.getByRole('alert')).toContainText('You declined');
  await page.getByRole('button', { name: 'Back to the sign-in page' }).click();
  await expect(page).toHaveURL(/\/login$/);
  await page.context().close();
});

test('a WeChat code signs in; a wrong one is reported at its field', async ({ browser, hub }) => {
  const page = await stranger(browser, hub);
  await page.goto('/login');
  await page.getByRole('button', { name: 'Sign in with WeChat' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in with WeChat' });
  await expect(dialog.getByRole('img')).toHaveJSProperty('naturalWidth', 1);
  await dialog.getByLabel('Code').fill('000000');
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(dialog.getByLabel('Code')).toHaveAccessibleDescription(/^The code is wrong/);

  await test.step('a user with a second factor is asked for it instead of other sign-in methods', async () => {
    const needsFactor = { success: false, message: 'A second step is wanted', code: 'login.second_factor' };
    await page.route('**/api/oauth/wechat?**', (route) => route.fulfill({ json: needsFactor }), { times: 1 });
    await dialog.getByLabel('Code').fill('123456');
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Two-step verification' })).toBeVisible();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('textbox', { name: 'Code' })).toBeFocused();
    const others = page.getByRole('button', { name: /^Sign in with (GitHub|WeChat)/ });
    await expect(others).toHaveCount(0);
    await page.getByRole('button', { name: 'Back' }).click();
    await expect(others).toHaveCount(2);
    await page.getByRole('button', { name: 'Sign in with WeChat' }).click();
  });

  await dialog.getByLabel('Code').fill(wechat.answer('a-friend'));
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await inPanel(page);
  await page.context().close();
});

test('a new user signs in with Lark; an account of another user cannot be linked, one’s own can', async ({
  browser,
  context,
  page,
  hub,
}) => {
  lark.user = { open_id: 'ou_lark', name: '张三' };
  const other = await stranger(browser, hub);
  await other.goto('/login');
  await other.getByRole('button', { name: 'Sign in with Lark', exact: true }).click();
  await expectToast(other, 'Signed in with Lark');
  await inPanel(other);
  await other.goto('/panel/profile');
  await expect(other.getByLabel('Display name')).toHaveValue('张三');
  await other.context().close();

  await asRoot(context, hub);
  // The page returns after a delay; the fixed clock prevents that.
  await page.clock.setFixedTime(Date.now());
  await page.goto('/panel/profile');
  const row = page.getByRole('listitem').filter({ hasText: 'Lark' });
  await row.getByRole('button', { name: 'Connect Lark' }).click();
  await expect(page).toHaveURL(/\/oauth\/lark\?/);
  await expect(page.getByRole('alert')).toContainText('connected to another user');
  await page.getByRole('button', { name: 'Back to your profile' }).click();
  lark.user = { open_id: 'ou_root', name: '李四' };
  await row.getByRole('button', { name: 'Connect Lark' }).click();
  await expectToast(page, 'Lark connected');
  await inPanel(page);
  await page.goto('/panel/profile');
  await expect(row).toContainText('李四');
});

test('a WeChat code links an account; the code of another user is reported at its field', async ({
  context,
  page,
  hub,
}) => {
  await asRoot(context, hub);
  await page.goto('/panel/profile');
  const row = page.getByRole('listitem').filter({ hasText: 'WeChat' });
  await row.getByRole('button', { name: 'Connect WeChat' }).click();
  const dialog = page.getByRole('dialog');
  const code = dialog.getByLabel('Code');
  const bind = dialog.getByRole('button', { name: 'Connect', exact: true });
  // The account of the previous test.
  await code.fill(wechat.answer('a-friend'));
  await bind.click();
  await expect(code).toHaveAccessibleDescription(/connected to another user/);
  await code.fill(wechat.answer('myself'));
  await bind.click();
  await expectToast(page, 'WeChat connected');
  await expect(row).toContainText('myself');
});

test('sending the profile’s code to the Telegram bot links the account, and the page updates', async ({
  context,
  page,
  hub,
}) => {
  await asRoot(context, hub);
  await page.goto('/panel/profile');
  const row = page.getByRole('listitem').filter({ hasText: 'Telegram' });
  await row.getByRole('button', { name: /^Connect/ }).click();
  const dialog = page.getByRole('dialog');
  const message = dialog.getByText(/^\/bind \w{10}$/);
  await expect(message).toBeVisible();
  await telegram.write({ id: 4711, username: 'me', first_name: 'Me', language_code: 'en' }, await message.innerText());
  await expectToast(page, 'Telegram');
  await expect(dialog).toBeHidden();
  await expect(row).toContainText('@me');
});

test('an administrator unlinks external accounts of a user', async ({ context, page, hub }) => {
  await asRoot(context, hub);
  await page.goto('/panel/user?keyword=liu.wei');
  await editBy(page.getByRole('row').filter({ hasText: 'liu.wei' }));
  const form = page.getByRole('dialog', { name: 'Edit user' });
  await form.getByRole('button', { name: 'Disconnect GitHub' }).click();
  const question = page.getByRole('alertdialog', { name: 'Disconnect GitHub?' });
  await question.getByRole('button', { name: 'Disconnect GitHub' }).click();
  await expectToast(page, 'GitHub disconnected');
  await expect(form.getByRole('button', { name: /^Disconnect/ })).toHaveCount(0);
  await expect(form.getByText('Password only')).toBeVisible();
});
