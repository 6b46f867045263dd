import type { APIRequestContext, Page } from '@playwright/test';
import { codeIn, linkIn, MAIL_ACCOUNT, MAIL_PASSWORD, type Mailbox, startMailbox } from '../testing/mailbox.ts';
import { startTurnstile } from '../testing/elsewhere/local-turnstile.ts';
import { callsOf, expect, signIn, test } from './hub.ts';
import { expectToast, inPanel, recordToasts } from './page-helpers.ts';

/** Registration, a lost password and its recovery, with a real mail server. */
test.describe.configure({ mode: 'serial' });

const email = 'newcomer@example.org';
const first = 'the-first-password';
const second = 'the-second-password';

let mailbox: Mailbox;
let root: APIRequestContext;
/** Options to restore at the end: all tests share one server. */
const changed = new Set<string>();

async function set(values: Record<string, string | null>): Promise<void> {
  for (const key of Object.keys(values)) changed.add(key);
  const answer = await root.put('/api/option/batch', { data: { values } });
  expect(await answer.json()).toMatchObject({ success: true });
}

async function signInWith(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel('Username or email').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test.beforeEach(({ context }) => recordToasts(context));

test.beforeAll(async ({ hub }) => {
  mailbox = await startMailbox();
  root = await callsOf(hub);
  await set({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mailbox.port),
    SMTPAccount: MAIL_ACCOUNT,
    SMTPToken: MAIL_PASSWORD,
    EmailVerificationEnabled: 'true',
    QuotaForNewUser: '5000',
    QuotaForInviter: '700',
  });
});

test.afterAll(async () => {
  await set({ TurnstileCheckEnabled: 'false', EmailVerificationEnabled: 'false' });
  await set(Object.fromEntries([...changed].map((key) => [key, null])));
  await root.dispose();
  await mailbox.close();
});

test('a test mail goes out with the stored settings', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.goto('/panel/setting?tab=system');
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('operator@example.org');
  await page.getByRole('button', { name: 'Send test email' }).click();
  await expect(page.getByText('Sent. Check the inbox of operator@example.org.')).toBeVisible();
  expect((await mailbox.next('operator@example.org')).subject).toContain('Relay Hub');
});

test('an invitation leads to an account: messages at the fields, a code by mail, a gift', async ({ page }) => {
  const { data: code } = (await (await root.get('/api/user/aff')).json()) as { data: string };
  await page.goto(`/register?aff=${code}`);
  await expect(page.getByText(`invitation ${code} is applied`)).toBeVisible();
  await expect(page.getByLabel('Username', { exact: true })).toBeFocused();

  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByLabel('Username', { exact: true })).toHaveAccessibleDescription(
    'Enter at least 3 characters.',
  );
  const again = page.getByLabel('Confirm password', { exact: true });
  await expect(again).toHaveAccessibleDescription('This field is required.');
  await page.getByLabel('Username', { exact: true }).fill('root');
  await page.getByLabel('Password', { exact: true }).fill(first);
  await again.fill(`${first}!`);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByLabel('Email', { exact: true })).toHaveAccessibleDescription('Enter your email address.');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByText(/^Resend in \d+ s$/)).toBeDisabled();
  await page.getByLabel('Verification code').fill(codeIn(await mailbox.next(email)));
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('The passwords don’t match.')).toBeVisible();
  await again.fill(first);
  await page.getByRole('button', { name: 'Create account' }).click();
  // The name is taken; the code is still valid.
  await expect(page.getByLabel('Username', { exact: true })).toHaveAccessibleDescription(/root/);
  await page.getByLabel('Username', { exact: true }).fill('newcomer');
  await page.getByRole('button', { name: 'Create account' }).click();

  await expectToast(page, 'Your account is ready.');
  await inPanel(page);
  const self = (await (await page.request.get('/api/user/self')).json()) as { data: object };
  expect(self.data).toMatchObject({ username: 'newcomer', email, quota: 5000, role: 1 });
  const invitations = (await (await root.get('/api/user/self/invitations')).json()) as { data: object };
  expect(invitations.data).toMatchObject({ invited: 1, earned: 700 });
  await expect.poll(() => page.evaluate(() => localStorage.getItem('aff')), 'stored invitation').toBeNull();
});

test('a forgotten password: the mailed link sets a new one, ends every session, and works once', async ({
  page,
  browser,
  hub,
}) => {
  const elsewhere = await callsOf(hub, { username: 'newcomer', password: first });
  expect((await elsewhere.get('/api/user/self')).status()).toBe(200);

  await page.goto('/login');
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page).toHaveURL(/\/reset$/);
  await page.getByLabel('Email', { exact: true }).fill('not an address');
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByText('Enter a valid email address.')).toBeVisible();
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByText(`If ${email} belongs to an account`)).toBeVisible();
  await expect(page.getByRole('button', { name: /Resend \(\d+\)/ })).toBeDisabled();

  const link = linkIn(await mailbox.next(email)).href;
  await page.goto(link);
  await page.getByLabel('New password', { exact: true }).fill('short');
  await page.getByLabel('Confirm password', { exact: true }).fill(second);
  await page.getByRole('button', { name: 'Save new password' }).click();
  await expect(page.getByLabel('New password', { exact: true })).toHaveAccessibleDescription(
    'Enter at least 8 characters.',
  );
  await page.getByLabel('New password', { exact: true }).fill(second);
  await page.getByRole('button', { name: 'Save new password' }).click();
  await expect(page).toHaveURL(/\/login$/);
  expect((await mailbox.next(email)).subject).toMatch(/ password was changed$/);
  expect((await elsewhere.get('/api/user/self')).status()).toBe(401);
  await signInWith(page, 'newcomer', first);
  await expect(page.getByText('Incorrect username or password.')).toBeVisible();
  await signInWith(page, 'newcomer', second);
  await inPanel(page);

  const other = await browser.newPage({ baseURL: hub.url });
  await other.goto(link);
  await expect(other.getByRole('heading', { name: 'This link is not valid' })).toBeVisible();
  await other.goto('/user/reset');
  await expect(other.getByRole('heading', { name: 'This link is not valid' })).toBeVisible();
  await other.getByRole('link', { name: 'Request a new link' }).click();
  await expect(other).toHaveURL(/\/reset$/);
  await other.close();
});

test('a code by mail signs in without a password', async ({ page }) => {
  await page.goto('/login');
  await page.getByRole('tab', { name: 'With email code' }).click();
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  const code = codeIn(await mailbox.next(email));
  await expect(page.getByText('a code is on its way')).toBeVisible();
  await page.getByLabel('Verification code').fill(code === '000000' ? '111111' : '000000');
  await expect(page.getByText('The code is wrong or has expired')).toBeVisible();
  await page.getByLabel('Verification code').fill(code);
  await inPanel(page);
});

test('an address is bound in the profile with a code that goes to it', async ({ page, context, hub }) => {
  const next = 'moved@example.org';
  await signIn(context, hub, { username: 'newcomer', password: second });
  await page.goto('/panel/profile');
  await page.getByRole('button', { name: 'Change email' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change email' });
  await expect(dialog.getByText(`Currently ${email}.`)).toBeVisible();
  const address = dialog.getByLabel('Email', { exact: true });
  const code = dialog.getByLabel('Verification code');
  const bind = dialog.getByRole('button', { name: 'Add email' });
  await expect(address).toBeFocused();
  const change = page.getByRole('main').getByRole('button', { name: 'Change email' });
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(change).toBeFocused();
  await page.keyboard.press('Enter');

  await dialog.getByRole('button', { name: 'Send code' }).click();
  await expect(address).toHaveAccessibleDescription('This field is required.');
  await address.fill(next);
  await dialog.getByRole('button', { name: 'Send code' }).click();
  await expect(dialog.getByText(`A code is on its way to ${next}.`)).toBeVisible();
  await expect(dialog.getByText(/^Resend in \d+ s$/)).toBeDisabled();
  const right = codeIn(await mailbox.next(next));
  await code.fill(right === '000000' ? '111111' : '000000');
  await bind.click();
  await expect(code).toHaveAccessibleDescription(/wrong or has expired/);
  await code.fill(right);
  await bind.click();

  await expectToast(page, 'Email address saved.');
  await expect(dialog).toBeHidden();
  await expect(change).toBeFocused();
  await expect(page.getByText(next, { exact: true }).first()).toBeVisible();
  const self = (await (await page.request.get('/api/user/self')).json()) as { data: object };
  expect(self.data).toMatchObject({ username: 'newcomer', email: next });
});

test('with the bot check on, an account is created, and each request uses a new challenge token', async ({ page }) => {
  const turnstile = await startTurnstile();
  await set({
    TurnstileAddress: turnstile.url,
    TurnstileSiteKey: turnstile.siteKey,
    TurnstileSecretKey: turnstile.secret,
    TurnstileCheckEnabled: 'true',
  });
  const address = 'human@example.org';
  await page.goto('/register');
  const passed = page.locator('[data-challenge=passed]');
  await expect(passed).toHaveText('Success!');
  await page.getByLabel('Username', { exact: true }).fill('human');
  await page.getByLabel('Email', { exact: true }).fill(address);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByText(`A code is on its way to ${address}.`)).toBeVisible();
  await page.getByLabel('Verification code').fill(codeIn(await mailbox.next(address)));
  await page.getByLabel('Password', { exact: true }).fill(first);
  await page.getByLabel('Confirm password', { exact: true }).fill(first);
  await expect(passed).toBeVisible();
  // An outage of the verification service is reported and does no harm.
  turnstile.broken = true;
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('alert')).toContainText('verify that you are human');
  turnstile.broken = false;
  await expect(passed).toBeVisible();
  await page.getByRole('button', { name: 'Create account' }).click();
  await expectToast(page, 'Your account is ready.');
  await inPanel(page);
  const tokens = turnstile.verifications.map(({ response }) => response);
  expect(tokens).toHaveLength(2);
  expect(new Set(tokens).size).toBe(2);
  // A stored secret belongs to the address for which it was entered.
  await set({ TurnstileCheckEnabled: 'false', TurnstileAddress: null, TurnstileSecretKey: null });
  await turnstile.close();
});

test('while the check for humans runs, one waits; without it nothing of it is loaded', async ({ page }) => {
  const requests: string[] = [];
  await page.route('https://challenges.cloudflare.com/**', async (route) => {
    requests.push(route.request().url());
    // The state while the verification is still running.
    await route.fulfill({
      contentType: 'text/javascript',
      body: 'window.turnstile = { render: () => "widget", reset() {}, remove() {} };',
    });
  });
  await page.goto('/reset');
  await expect(page.getByLabel('Email', { exact: true })).toBeVisible();
  expect(requests).toEqual([]);
  await set({ TurnstileCheckEnabled: 'true', TurnstileSiteKey: 'site-key', TurnstileSecretKey: 'secret-key' });
  await page.reload();
  await expect.poll(() => requests.length, 'loads of the check').toBe(1);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByText('Wait a moment, then try again.')).toBeVisible();
});

test('the page says that registration is closed', async ({ page }) => {
  await set({ RegisterEnabled: 'false' });
  await page.goto('/register');
  await expect(page.getByText('Registration is closed.')).toBeVisible();
  await expect(page.getByLabel('Username', { exact: true })).toBeHidden();
  await page.goto('/login');
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await expect(page.getByText('No account yet?')).toBeHidden();
});
