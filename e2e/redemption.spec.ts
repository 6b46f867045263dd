import { readFile } from 'node:fs/promises';
import type { Browser, Page } from '@playwright/test';
import { type Hub, expect, signIn, test } from './hub.ts';
import { copiedText, expectToast, recordToasts } from './page-helpers.ts';

/** Redemption codes, from creation to the balance of the user who redeems them. */
test.describe.configure({ mode: 'serial' });

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const holder = { username: 'holder', password: 'a-password-of-holder' };
const codesPage = '/panel/redemption';

test.beforeEach(async ({ context, hub }) => {
  await recordToasts(context);
  await signIn(context, hub);
});

/** A page of the console with `holder` signed in. */
async function holdersPage(browser: Browser, hub: Hub): Promise<Page> {
  const context = await browser.newContext({ baseURL: hub.url, locale: 'en-US' });
  await signIn(context, hub, holder);
  const holders = await context.newPage();
  await holders.goto('/panel');
  return holders;
}

test('an administrator makes a code, a user redeems it, the balance grows', async ({ page, browser, hub }) => {
  const made = await page.request.post('/api/user/', { data: { ...holder, group: 'default' } });
  expect(made.ok()).toBe(true);
  await page.request.put('/api/option/', { data: { key: 'TopUpLink', value: '' } }); // other tests set one
  let code = '';

  await test.step('make a code worth $5; it is shown whole', async () => {
    await page.goto(codesPage);
    await expect(page.getByText('No codes yet')).toBeVisible();
    await page.getByRole('button', { name: 'Create codes' }).click();
    const drawer = page.getByRole('dialog', { name: 'Create codes' });
    await drawer.getByRole('button', { name: 'Create codes' }).click();
    await expect(drawer.getByText('This field is required.')).toBeVisible();
    await drawer.getByLabel('Name', { exact: true }).fill('launch');
    await drawer.getByLabel('Number of codes').fill('101');
    await drawer.getByLabel('Name', { exact: true }).focus();
    await expect(drawer.getByRole('alert')).toBeVisible();
    await drawer.getByLabel('Number of codes').fill('1');
    await drawer.getByRole('button', { name: 'Create codes' }).click();
    const created = page.getByRole('dialog', { name: '1 code created' });
    await expect(created.getByText('launch · $5.00')).toBeVisible();
    await created.getByRole('button', { name: 'Copy code', exact: true }).click();
    code = await copiedText(page, /^[0-9a-f]{32}$/);
    await created.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('row', { name: /launch.*Unredeemed/ })).toBeVisible();
    await expect(page.getByText(code)).toHaveCount(0);
  });

  await test.step('a user redeems it', async () => {
    const holders = await holdersPage(browser, hub);
    await holders.getByRole('link', { name: 'Top-up', exact: true }).click();
    await expect(holders.getByRole('heading', { name: 'Balance' })).toBeVisible();
    await expect(holders.getByText('$0.00').first()).toBeVisible();
    await expect(holders.getByRole('link', { name: 'Redemption codes' })).toHaveCount(0);
    await expect(holders.getByText('No code yet? The administrator has not set a top-up link.')).toBeVisible();

    const field = holders.getByRole('textbox', { name: 'Redemption code' });
    await field.fill('0'.repeat(32));
    await holders.getByRole('button', { name: 'Redeem', exact: true }).click();
    await expect(holders.getByText('This code is not valid', { exact: false })).toBeVisible();
    await field.fill(`  ${code.toUpperCase()} `);
    await field.press('Enter');
    await expect(holders.getByText('Added $5.00. Balance $0.00 → $5.00.')).toBeVisible();
    await expect(holders.getByRole('table', { name: 'Recent activity' }).getByText('+$5.00')).toBeVisible();
    await field.fill(code);
    await field.press('Enter');
    await expect(holders.getByText('You have already redeemed this code', { exact: false })).toBeVisible();
    const self = (await (await holders.request.get('/api/user/self')).json()) as { data: { quota: number } };
    expect(self.data.quota).toBe(2_500_000);
    await holders.context().close();
  });

  await test.step('the list shows who redeemed it', async () => {
    await page.reload();
    const row = page.getByRole('row', { name: /launch.*Redeemed/ });
    await expect(row.getByText(holder.username)).toBeVisible();
    await row.getByText('launch').click();
    const detail = page.getByRole('dialog', { name: 'Redeemed code' });
    await expect(detail.getByText(holder.username)).toBeVisible();
    await expect(page).toHaveURL(/edit=\d+/);
    await detail.getByRole('button', { name: 'Done' }).click();
    await expect(page).not.toHaveURL(/edit=/);
  });
});

test('many codes: copied, saved, switched off and on, deleted and restored, cleaned up', async ({ page }) => {
  let codes: string[] = [];

  await test.step('make twenty', async () => {
    await page.goto(`${codesPage}?edit=new`);
    const drawer = page.getByRole('dialog', { name: 'Create codes' });
    await drawer.getByLabel('Name', { exact: true }).fill('autumn');
    await drawer.getByLabel('Number of codes').fill('20');
    await expect(drawer.getByText('20 codes, $100.00 in total.')).toBeVisible();
    await page.keyboard.press('Control+Enter');
    const created = page.getByRole('dialog', { name: '20 codes created' });
    await created.getByRole('button', { name: 'Copy all 20' }).click();
    codes = (await copiedText(page, /^([0-9a-f]{32}\n){19}[0-9a-f]{32}$/)).split('\n');
    expect(new Set(codes).size).toBe(20);
    const saving = page.waitForEvent('download');
    await created.getByRole('button', { name: 'Download TXT' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('autumn.txt');
    expect(await readFile(await saved.path(), 'utf8')).toBe(`${codes.join('\n')}\n`);
    await created.getByRole('button', { name: 'Done' }).click();
  });

  await test.step('a whole code is found by its mask, which is all the address has', async () => {
    const eighth = codes.at(7) ?? '';
    await page.getByRole('searchbox').fill(eighth);
    await expect(page.getByRole('row', { name: /autumn/ })).toHaveCount(1);
    expect(page.url()).not.toContain(eighth.slice(4, 20));
    await page.getByRole('searchbox').fill('autumn');
    await expect(page.getByText('20 unredeemed codes, worth $100.00')).toBeVisible();
  });

  await test.step('the exported file has the filtered rows', async () => {
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV', exact: false }).click();
    const table = await readFile(await (await saving).path(), 'utf8');
    expect(table.trimEnd().split('\r\n')).toHaveLength(21);
    for (const code of codes) expect(table).toContain(code);
    expect(table).not.toContain('launch');
  });

  await test.step('switch a page of them off, and back on by Undo', async () => {
    await page.getByRole('checkbox', { name: 'Select this page' }).check();
    await page.getByRole('button', { name: 'Disable 15' }).click();
    await expect(page.getByRole('row', { name: /autumn.*Disabled/ })).toHaveCount(15);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('row', { name: /autumn.*Unredeemed/ })).toHaveCount(15);
  });

  await test.step('delete one, and restore it by Undo', async () => {
    const row = page.getByRole('row', { name: /autumn/ }).first();
    await row.getByRole('button', { name: /More/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect(page.getByText('19 unredeemed', { exact: false })).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect(page.getByText('20 unredeemed', { exact: false })).toBeVisible();
  });

  await test.step('delete codes that can no longer be redeemed', async () => {
    await page.goto(codesPage);
    await page.getByRole('button', { name: 'Clean up…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Clean up unusable codes', exact: false });
    await expect(dialog.getByText('Redeemed: 1')).toBeVisible();
    await dialog.getByRole('button', { name: 'Delete 1 code' }).click();
    await expectToast(page, 'Deleted 1 code');
    await expect(page.getByRole('row', { name: /launch/ })).toHaveCount(0);
    await expect(page.getByText('1–15 of 20')).toBeVisible();
  });
});
