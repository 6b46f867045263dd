import type { APIRequestContext, Locator, Page, Request } from '@playwright/test';
import { startOidc } from '../testing/elsewhere/local-oidc.ts';
import { isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';
import { phone } from './parts.ts';
import { expectToast, inPanel, recordToasts, settled } from './page-helpers.ts';

/** The server ends a session while a page is open. */
const test = base.extend<object, { hub: Hub }>({ hub: [newHub(), { scope: 'worker' }] });

const password = 'a-password-and-more';
let root: APIRequestContext;
let channel = 0;

test.beforeAll(async ({ hub }) => {
  root = await callsOf(hub);
  for (const username of ['first_user', 'second_user', 'made_admin', 'shut_out'])
    await root.post('/api/user/', { data: { username, password, group: 'default', quota: 0 } });
  for (let nth = 0; nth < 4; nth++)
    await root.post('/api/channel/', {
      data: {
        type: 8,
        name: `again-${nth}`,
        key: `sk-again-${nth}`,
        base_url: 'http://127.0.0.1:9',
        models: 'gpt-4o-mini',
        group: 'default',
        priority: 20,
        weight: 10,
      },
    });
  const listed = (await (await root.get('/api/channel/?keyword=again-1')).json()) as {
    data: { data: { id: number }[] };
  };
  channel = listed.data.data[0]?.id ?? 0;
});

test.afterAll(() => root.dispose());

test.beforeEach(({ context }) => recordToasts(context));

const as = (username: string) => ({ username, password });
const dialogOf = (page: Page): Locator => page.getByRole('dialog', { name: /^Sign in again/ });
const stored = (page: Page): Promise<string | null> => page.evaluate(() => localStorage.getItem('user'));

/** Ends every session of root except the one of this request. */
const endRootSessions = async (): Promise<void> => {
  expect(await (await root.delete('/api/user/sessions')).json()).toMatchObject({ success: true });
};

async function endSessionsOf(username: string): Promise<number> {
  const found = (await (await root.get(`/api/user/?keyword=${username}`)).json()) as {
    data: { data: { id: number }[] };
  };
  const id = found.data.data[0]?.id ?? 0;
  expect(await (await root.delete(`/api/user/${id}/sessions`)).json()).toMatchObject({ success: true });
  return id;
}

async function givePassword(dialog: Locator, typed: string): Promise<void> {
  await dialog.getByLabel('Password', { exact: true }).fill(typed);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function signInByForm(page: Page, username: string, typed = password): Promise<void> {
  await page.goto('/login');
  await fillIn(page, username, typed);
  await inPanel(page);
}

async function fillIn(page: Page, username: string, typed = password): Promise<void> {
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(typed);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Records the API requests of a page from now on. */
function watch(page: Page, matches: (request: Request) => boolean = () => true): Request[] {
  const seen: Request[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith('/api/') && matches(request)) seen.push(request);
  });
  return seen;
}

/** Opens the form of a channel and changes it. */
async function openForm(page: Page): Promise<Locator> {
  await page.goto(`/panel/channel?edit=${channel}`);
  const form = page.getByRole('dialog', { name: 'Edit channel' });
  await form.getByLabel('Priority').fill('31');
  await form.getByLabel('Weight').fill('26');
  await expect(form.getByText('2 unsaved changes')).toBeVisible();
  await settled(page);
  return form;
}

const priorityOf = async (): Promise<number> => {
  const answer = (await (await root.get(`/api/channel/${channel}`)).json()) as { data: { priority: number } };
  return answer.data.priority;
};

test('a form survives the end of the session: the next press saves it, once', async ({ page, context, hub }) => {
  await signIn(context, hub);
  const form = await openForm(page);
  const writes = watch(page, (request) => request.method() === 'PUT');
  await endRootSessions();
  const save = form.getByRole('button', { name: /^Save(?! and)/ });
  await save.click();
  const dialog = page.getByRole('dialog', { name: 'Sign in again to save' });
  await expect(dialog).toContainText('Your 2 changes are still in the form');
  await expect(dialog).toContainText('root');
  await expect(dialog.getByLabel('Password', { exact: true })).toBeFocused();
  await expect.poll(() => stored(page), 'stored user').toBeNull();
  // No other field asks for a name; password managers find the account in this one.
  await expect(dialog.locator('input[autocomplete=username]')).toHaveValue('root');
  await expect(dialog.locator('input[autocomplete=current-password]')).toHaveCount(1);

  await givePassword(dialog, 'not this one');
  await expect(dialog.getByRole('alert')).toContainText('The password is wrong');
  await givePassword(dialog, hub.rootPassword);
  await expect(dialog).toBeHidden();
  await expectToast(page, 'Signed in again. Save again to keep your changes');
  await expect.poll(() => stored(page), 'stored user').toContain('"username":"root"');
  await expect(form.getByLabel('Priority')).toHaveValue('31');
  await expect(form.getByLabel('Weight')).toHaveValue('26');
  await expect(save).toBeFocused();
  await settled(page);
  expect(writes).toHaveLength(1);
  expect(await priorityOf()).toBe(20);

  await page.keyboard.press('Enter');
  await expect(form).toBeHidden();
  expect(writes).toHaveLength(2);
  expect(await priorityOf()).toBe(31);
  await root.put('/api/channel/', { data: { id: channel, priority: 20, weight: 10 } });
});

test('a page that only reads asks once, waits without asking again, and fills after signing in', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.goto('/panel/token');
  await expect(page.getByRole('heading', { level: 1, name: 'Tokens' })).toBeVisible();
  await settled(page);
  await endRootSessions();
  const refused: string[] = [];
  page.on('response', (response) => response.status() === 401 && refused.push(response.url()));
  await page.getByRole('link', { name: 'Channels', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in again', exact: true });
  await expect(dialog).toContainText('Sign in to continue on this page.');
  await expect(page).toHaveURL(/\/panel\/channel/);
  const before = refused.length;
  // Polling and focus events send no requests without a session.
  const requests = watch(page);
  await page.clock.install();
  await page.clock.fastForward(200_000);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  expect(requests.map((request) => request.url())).toEqual([]);
  expect(refused).toHaveLength(before);
  expect(new Set(refused).size).toBe(refused.length);

  await givePassword(dialog, hub.rootPassword);
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('row', { name: /again-1/ })).toBeVisible();
  await page.clock.resume();
  await settled(page);
});

test('closing the dialog leaves the page; a bar and the next press lead back to it', async ({ page, context, hub }) => {
  await signIn(context, hub);
  const form = await openForm(page);
  await endRootSessions();
  const save = form.getByRole('button', { name: /^Save(?! and)/ });
  await save.click();
  await expect(dialogOf(page)).toBeVisible();
  // A click outside does nothing.
  await page.mouse.click(8, 8);
  await expect(dialogOf(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialogOf(page)).toBeHidden();
  await expect(form.getByLabel('Priority')).toHaveValue('31');
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  const bar = page.getByText('You are signed out.');
  await expect(bar).toBeVisible();
  await save.click();
  await expect(dialogOf(page)).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await givePassword(dialogOf(page), hub.rootPassword);
  await expect(dialogOf(page)).toBeHidden();
  await expect(bar).toBeHidden();
  await save.click();
  await expect(form).toBeHidden();
  await root.put('/api/channel/', { data: { id: channel, priority: 20, weight: 10 } });
});

test('the login page returns to a filled page, after an ended session and after another user', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.goto('/panel/channel');
  await expect(page.getByRole('row', { name: /again-1/ })).toBeVisible();
  await settled(page);
  for (let times = 0; times < 3; times++) {
    await page.getByRole('button', { name: 'Account: root' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(`${hub.url}/`);
    await page.getByRole('link', { name: 'Sign in', exact: true }).first().click();
    await fillIn(page, 'root', hub.rootPassword);
    await inPanel(page);
    await page.getByRole('link', { name: 'Channels', exact: true }).click();
    await expect(page.getByRole('row', { name: /again-1/ })).toBeVisible();
    await settled(page);
  }
});

test('loading a page without a valid session leads to the login page', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await endRootSessions();
  await page.goto('/panel/channel?keyword=again-2');
  await expect(page).toHaveURL(/\/login\?redirect=/);
  await expect(dialogOf(page)).toHaveCount(0);
  await expect.poll(() => stored(page), 'stored user').toBeNull();
  await page.goto('/panel/channel?keyword=again-2');
  await expect(page).toHaveURL(/\/login\?redirect=/);
  await fillIn(page, 'root', hub.rootPassword);
  await expect(page).toHaveURL(`${hub.url}/panel/channel?keyword=again-2`);
  await expect(page.getByRole('row', { name: /again-2/ })).toBeVisible();
  await settled(page);
});

/** Opens the token form as a separate user, types a name and ends the session. */
async function typeAsFirstUser(page: Page): Promise<Locator> {
  // Signs in by the form: `signIn` would sign in every new tab.
  await signInByForm(page, 'first_user');
  await page.goto('/panel/token?edit=new');
  const form = page.getByRole('dialog', { name: 'Create token' });
  await form.getByLabel('Name', { exact: true }).fill('typed by the first');
  await settled(page);
  await endSessionsOf('first_user');
  await form.getByRole('button', { name: /^Create/ }).click();
  await expect(dialogOf(page)).toContainText('first_user');
  return form;
}

test('a different user who signs in sees neither the page nor its data', async ({ page, context }) => {
  const form = await typeAsFirstUser(page);
  // Another user signs in in another tab of the same browser.
  const other = await context.newPage();
  await signInByForm(other, 'second_user');
  await expect(page).toHaveURL(({ pathname }) => pathname === '/panel');
  await expect(form).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Account: second_user' })).toBeVisible();
  await expect(page.getByText('first_user')).toHaveCount(0);
});

test('“Not you?” asks where changes would be lost, and leaves nothing behind', async ({ page }) => {
  const form = await typeAsFirstUser(page);
  await dialogOf(page).getByRole('button', { name: 'Not you?' }).click();
  const question = dialogOf(page).getByRole('status');
  await expect(question).toContainText('1 change has not been saved.');
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await expect(question).toBeHidden();
  await dialogOf(page).getByRole('button', { name: 'Close' }).click();
  await expect(form.getByLabel('Name', { exact: true })).toHaveValue('typed by the first');
  await form.getByRole('button', { name: /^Create/ }).click();
  await dialogOf(page).getByRole('button', { name: 'Not you?' }).click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect(page).toHaveURL(({ pathname }) => pathname === '/login');
  await expect(form).toHaveCount(0);
  await fillIn(page, 'second_user');
  await inPanel(page);
  await expect(page.getByText('first_user')).toHaveCount(0);
});

test('the same user signs in again in another tab, and this one goes on', async ({ page, context }) => {
  const form = await typeAsFirstUser(page);
  const other = await context.newPage();
  await signInByForm(other, 'first_user');
  await expect(dialogOf(page)).toBeHidden();
  await form.getByRole('button', { name: /^Create/ }).click();
  await expect(page.getByText('typed by the first').first()).toBeVisible();
});

test('another tab that finds the session over takes no page from this one', async ({ page, context }) => {
  await signInByForm(page, 'first_user');
  await page.goto('/panel/token?edit=new');
  const form = page.getByRole('dialog', { name: 'Create token' });
  await form.getByLabel('Name', { exact: true }).fill('typed in the first tab');
  await settled(page);
  await endSessionsOf('first_user');
  const other = await context.newPage();
  await other.goto('/panel/log');
  await expect(other).toHaveURL(/\/login\?redirect=/);
  await form.getByRole('button', { name: /^Create/ }).click();
  await givePassword(dialogOf(page), password);
  await expect(dialogOf(page)).toBeHidden();
  await expect(form.getByLabel('Name', { exact: true })).toHaveValue('typed in the first tab');
  await expect(other).toHaveURL(({ pathname }) => pathname === '/panel/log');
});

test('a role that was given meanwhile counts at once: the menu and the guards follow', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub, as('made_admin'));
  await page.goto('/panel/token');
  await settled(page);
  await expect(page.getByRole('link', { name: 'Channels', exact: true })).toHaveCount(0);
  await root.post('/api/user/manage', { data: { username: 'made_admin', action: 'promote' } });
  await endSessionsOf('made_admin');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await givePassword(dialogOf(page), password);
  await expect(dialogOf(page)).toBeHidden();
  await page.getByRole('link', { name: 'Channels', exact: true }).click();
  await expect(page.getByRole('row', { name: /again-1/ })).toBeVisible();
});

test('an account that was disabled is refused in the dialog, and the page stays', async ({ page, context, hub }) => {
  await signIn(context, hub, as('shut_out'));
  await page.goto('/panel/token?edit=new');
  const form = page.getByRole('dialog', { name: 'Create token' });
  await form.getByLabel('Name', { exact: true }).fill('never saved');
  await root.post('/api/user/manage', { data: { username: 'shut_out', action: 'disable' } });
  await form.getByRole('button', { name: /^Create/ }).click();
  await givePassword(dialogOf(page), password);
  await expect(dialogOf(page).getByRole('alert')).toContainText('this account can no longer sign in');
  await page.keyboard.press('Escape');
  await expect(form.getByLabel('Name', { exact: true })).toHaveValue('never saved');
});

test('a session older than ten minutes reauthenticates in the same dialog, or cancels there', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.goto('/panel/profile');
  await settled(page);
  const unproved = { success: false, message: 'Confirm it’s you first', code: 'session.proof' };
  await page.route('**/api/user/self/totp/begin', (route) => route.fulfill({ status: 403, json: unproved }), {
    times: 1,
  });
  await page.getByRole('button', { name: 'Turn on', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await expect(dialog).toContainText('root');
  await expect(dialog.locator('input[autocomplete=username]')).toHaveValue('root');
  const typed = dialog.getByLabel('Password', { exact: true });
  await expect(typed).toBeFocused();
  await typed.fill(hub.rootPassword);
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(dialog).toBeHidden();
  const begun = page.getByRole('dialog', { name: 'Turn on two-step verification' });
  await expect(begun).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(begun).toBeHidden();

  await test.step('a session that ends during reauthentication is signed in again', async () => {
    await page.route('**/api/user/self/totp/begin', (route) => route.fulfill({ status: 403, json: unproved }), {
      times: 1,
    });
    await page.getByRole('button', { name: 'Turn on', exact: true }).click();
    await expect(typed).toBeFocused();
    await endRootSessions();
    await typed.fill(hub.rootPassword);
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    await expect(dialog).toBeHidden();
    await givePassword(dialogOf(page), hub.rootPassword);
    await expect(dialogOf(page)).toBeHidden();
    await page.goto('about:blank');
    await page.goto('/panel/profile');
    await settled(page);
  });

  await test.step('“Not you?” signs out', async () => {
    await page.route('**/api/user/self/totp/begin', (route) => route.fulfill({ status: 403, json: unproved }), {
      times: 1,
    });
    await page.getByRole('button', { name: 'Turn on', exact: true }).click();
    await dialog.getByRole('button', { name: 'Not you?' }).click();
    await expect(page).toHaveURL(({ pathname }) => pathname === '/login');
    expect((await context.request.get(`${hub.url}/api/user/self`)).status()).toBe(401);
  });
});

test.describe('an account with a provider', () => {
  let oidc: Awaited<ReturnType<typeof startOidc>>;

  test.beforeAll(async ({ hub }) => {
    oidc = await startOidc(`${hub.url}/oauth/oidc`);
    const values = {
      OIDCIssuer: oidc.issuer,
      OIDCClientId: oidc.clientId,
      OIDCClientSecret: oidc.clientSecret,
      OIDCScopes: 'openid,profile,email',
      OIDCUsernameClaims: 'preferred_username',
      OIDCAuthEnabled: 'true',
    };
    expect(await (await root.put('/api/option/batch', { data: { values } })).json()).toMatchObject({ success: true });
  });
  test.afterAll(() => oidc.close());

  /** Signs in through the provider, fills in a form and ends the session. */
  async function typeAs(page: Page, name: string): Promise<Locator> {
    oidc.people.set(name, { preferred_username: name, name });
    oidc.user = undefined;
    await page.goto('/login');
    await page.getByRole('button', { name: 'Sign in with OIDC', exact: true }).click();
    await passProvider(page, name);
    await inPanel(page);
    await page.goto('/panel/token?edit=new');
    const form = page.getByRole('dialog', { name: 'Create token' });
    await form.getByLabel('Name', { exact: true }).fill('typed before');
    await settled(page);
    await endSessionsOf(name);
    // The provider asks for the account again.
    await page.context().clearCookies({ name: /^_/ });
    await form.getByRole('button', { name: /^Create/ }).click();
    await expect(dialogOf(page)).toBeVisible();
    return form;
  }

  async function passProvider(page: Page, name: string): Promise<void> {
    await expect(page).toHaveURL(new RegExp(`^${oidc.issuer}/`));
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  test('signs in again in a separate window, which reports back and closes', async ({ page, context }) => {
    const form = await typeAs(page, 'wang.fang');
    const opening = context.waitForEvent('page');
    await dialogOf(page).getByRole('button', { name: 'Sign in with OIDC' }).click();
    const opened = await opening;
    await expect(dialogOf(page).getByRole('status')).toContainText('in the new window');
    await passProvider(opened, 'wang.fang');
    await expect(dialogOf(page)).toBeHidden();
    await expect.poll(() => opened.isClosed(), 'the window is closed').toBe(true);
    await expect(form.getByLabel('Name', { exact: true })).toHaveValue('typed before');
    await form.getByRole('button', { name: /^Create/ }).click();
    await expect(page.getByText('typed before').first()).toBeVisible();
  });

  test('sees in the dialog why the provider’s window failed', async ({ page, context }) => {
    const form = await typeAs(page, 'zhao.min');
    const opening = context.waitForEvent('page');
    await dialogOf(page).getByRole('button', { name: 'Sign in with OIDC' }).click();
    const opened = await opening;
    await expect(opened).toHaveURL(new RegExp(`^${oidc.issuer}/`));
    const state = await page.evaluate(() => localStorage.getItem('sign_in_window'));
    await opened.goto(`/oauth/oidc?error=access_denied&state=${state}`).catch(() => undefined);
    await expect(dialogOf(page).getByRole('alert')).toContainText('You declined');
    await page.keyboard.press('Escape');
    await expect(form.getByLabel('Name', { exact: true })).toHaveValue('typed before');
  });

  test('asks before leaving where the browser blocks the window', async ({ page, context }) => {
    await context.addInitScript(() => Object.assign(globalThis, { open: () => null }));
    await typeAs(page, 'sun.li');
    await dialogOf(page).getByRole('button', { name: 'Sign in with OIDC' }).click();
    await expect(dialogOf(page).getByRole('status')).toContainText('1 unsaved change is lost');
    await expect(page).toHaveURL(/\/panel\/token/);
    await dialogOf(page).getByRole('button', { name: 'Leave and sign in' }).click();
    await passProvider(page, 'sun.li');
    await inPanel(page);
  });
});

test('axe finds nothing in the dialog, at a desk and on a phone', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.emulateMedia({ colorScheme: 'light' });
  await openForm(page);
  await endRootSessions();
  await page.getByRole('button', { name: /^Save(?! and)/ }).click();
  await expect(dialogOf(page)).toBeVisible();
  await isFineInEitherTheme(page);
  await page.setViewportSize(phone);
  await page.emulateMedia({ colorScheme: 'light' });
  await isFineInEitherTheme(page);
  await page.keyboard.press('Escape');
  await page.emulateMedia({ colorScheme: 'light' });
  await isFineInEitherTheme(page);
});
