import type { BrowserContext, Page, Route } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import { callsOf, expect, type Hub, signIn, test, withoutFirstReplies } from './hub.ts';
import { inPanel } from './page-helpers.ts';

/** Two-step verification, passkeys and the audit log, with separate users. */
test.describe.configure({ mode: 'serial' });

const username = 'two_steps';
const password = 'a-password-and-more';

/** Passkeys need a host name; the server prints an IP address. */
const site = (hub: Hub): string => hub.url.replace('127.0.0.1', 'localhost');

const periodMs = 30_000;

const periodNow = (): number => Math.floor(Date.now() / periodMs);

/** The code of a period; it is also valid in the previous and the next period, which leaves time to type it. */
const codeOf = (secret: string, period: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: period * periodMs });

/** Gives a page a virtual authenticator that approves every request. */
async function addDevice(context: BrowserContext, page: Page): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** The reply of a server that requires reauthentication, as ten minutes after signing in. */
const wantProof = (route: Route) =>
  route.fulfill({
    status: 403,
    json: { success: false, message: 'Confirm it’s you first', code: 'session.proof' },
  });

async function givePassword(page: Page, hub: Hub): Promise<void> {
  await page.goto(`${site(hub)}/login`);
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.evaluate(() => fetch('/api/user/logout').then(() => localStorage.removeItem('user')));
}

test('a user turns two-step verification on, adds a passkey, and signs in with either', async ({
  page,
  context,
  hub,
}) => {
  const root = await callsOf(hub);
  await root.post('/api/user/', { data: { username, password, group: 'default', quota: 0 } });
  await root.dispose();
  await addDevice(context, page);
  await givePassword(page, hub);
  await inPanel(page);

  let secret = '';
  let usedPeriod = 0;
  let recovery: string[] = [];
  await test.step('two-step verification is on with the first code, and recovery codes are shown', async () => {
    await page.goto(`${site(hub)}/panel/profile`);
    await page.getByRole('button', { name: 'Turn on', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Turn on two-step verification' });
    await expect(dialog.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible();
    secret = (await dialog.getByText(/^([A-Z2-7]{4} ?){8}$/).innerText()).replaceAll(' ', '');
    usedPeriod = periodNow();
    await dialog.getByLabel('Six-digit code').fill(codeOf(secret, usedPeriod));
    await dialog.getByRole('button', { name: 'Turn on', exact: true }).click();
    const codes = page.getByRole('dialog', { name: 'Recovery codes' });
    await expect(codes.getByRole('listitem')).toHaveCount(10);
    recovery = await codes.getByRole('listitem').allInnerTexts();
    await codes.getByRole('button', { name: 'I have saved them' }).click();
    await expect(page.getByText('10 recovery codes left')).toBeVisible();
  });

  await test.step('Added a passkey', async () => {
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Name the passkey' });
    await dialog.getByLabel('Name', { exact: true }).fill('Test device');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByRole('listitem').filter({ hasText: 'Test device' })).toBeVisible();
  });

  await test.step('signing in asks for a code; a wrong one is refused, the right one taken', async () => {
    await signOut(page);
    await page.goto(`${site(hub)}/login`);
    await expect(page.getByRole('main').getByRole('link', { name: 'Register' })).toBeVisible();
    await givePassword(page, hub);
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await expect(page.getByRole('main').getByRole('link', { name: 'Register' })).toHaveCount(0);
    await expect(page.getByRole('alert').filter({ hasText: 'The code is wrong' })).toBeVisible();
    // The code of that period was used.
    const period = Math.max(usedPeriod + 1, periodNow());
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, period));
    await inPanel(page);
  });

  await test.step('a recovery code does instead', async () => {
    await signOut(page);
    await givePassword(page, hub);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code', { exact: true }).fill(recovery[0] ?? '');
    await page.getByRole('button', { name: 'Verify and sign in' }).click();
    await inPanel(page);
  });

  await test.step('the passkey signs in by itself', async () => {
    await signOut(page);
    await page.goto(`${site(hub)}/login`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await inPanel(page);
  });

  await test.step('sensitive changes ask for reauthentication and then continue', async () => {
    await withoutFirstReplies(page);
    await page.route('**/api/user/self/totp', wantProof, { times: 1 });
    await page.goto('about:blank');
    await page.goto(`${site(hub)}/panel/profile`);
    const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await dialog.getByLabel('Password', { exact: true }).last().fill('not this one');
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).click();
    await expect(dialog.getByRole('alert')).toContainText('is wrong');
    await dialog.getByRole('button', { name: 'Confirm with a passkey' }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText('9 recovery codes left')).toBeVisible();
  });

  await test.step('it is turned off again', async () => {
    await page.getByRole('button', { name: 'More about two-step verification' }).click();
    await page.getByRole('menuitem', { name: 'Turn off two-step verification' }).click();
    await page.route('**/api/user/self/totp', wantProof, { times: 1 });
    await page.getByRole('button', { name: 'Turn off', exact: true }).click();
    // The dialog is on top of the question that waits for it.
    const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await proof.getByRole('radio', { name: 'Password' }).check();
    const typed = proof.getByLabel('Password', { exact: true }).last();
    await typed.click();
    await typed.fill(password);
    await proof.getByRole('button', { name: 'Confirm', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Turn on', exact: true })).toBeVisible();
  });
});

test('actions of administrators are in the audit log, with their changes', async ({ page, context, hub }) => {
  await signIn(context, hub);
  const found = await context.request.get(`${hub.url}/api/user/?keyword=${username}`);
  const { data } = (await found.json()) as { data: { data: { id: number }[] } };
  const id = data.data[0]?.id;
  await context.request.put(`${hub.url}/api/user/`, { data: { id, display_name: 'Second Factor' } });
  await page.goto(`/panel/audit?kind=user&object_id=${id}`);
  const table = page.getByRole('table', { name: 'Audit log' });
  await expect(table.getByRole('row')).toHaveCount(3);
  await table.getByRole('row').filter({ hasText: 'Change user' }).click();
  const detail = page.getByRole('dialog');
  await expect(detail.getByRole('row').filter({ hasText: 'display_name' })).toContainText('Second Factor');
  await expect(detail).toContainText('127.0.0.1');
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/[?&]id=/);
  // The log describes changes of users' own accounts in words.
  await context.request.put(`${hub.url}/api/user/self`, { data: { display_name: 'Root of the audit' } });
  await page.goto('/panel/audit?actor=root&kind=user');
  const own = table.getByRole('row').filter({ hasText: 'Change own account' });
  await expect(own.first()).toContainText('root');
});
