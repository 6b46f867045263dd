import type { Page } from '@playwright/test';
import { callsOf, expect, signIn, test } from './hub.ts';
import { expectToast, recordToasts } from './page-helpers.ts';

/** Settings of the site, and owners of models. */
test.describe.configure({ mode: 'serial' });

/** Options that the tests change. */
const changed = ['RetryTimes', 'AutomaticDisableChannelEnabled', 'SMTPToken'];

test.beforeEach(({ context }) => recordToasts(context));

// Other tests use the same server.
test.afterAll(async ({ hub }) => {
  const root = await callsOf(hub);
  const values = Object.fromEntries(changed.map((key) => [key, null]));
  expect(await (await root.put('/api/option/batch', { data: { values } })).json()).toMatchObject({ success: true });
  await root.dispose();
});

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

test('a setting is found, changed, refused at its field, saved, taken back and restored', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.goto('/panel/setting');

  await test.step('changes are counted and saved together', async () => {
    await field(page, 'Retries').fill('4');
    await page.getByRole('switch', { name: 'Disable failing channels' }).check();
    const bar = page.getByRole('region', { name: '2 unsaved changes' });
    await expect(bar).toBeVisible();
    await page.keyboard.press('Control+Enter');
    await expectToast(page, '2 settings saved');
    await expect(bar).toBeHidden();
    await page.reload();
    await expect(field(page, 'Retries')).toHaveValue('4');
    await expect(page.getByRole('switch', { name: 'Disable failing channels' })).toBeChecked();
  });

  await test.step('invalid values are reported at their field, by the page and by the server', async () => {
    await field(page, 'Retries').fill('-1');
    await expect(page.getByText('Must be at least 0.')).toBeVisible();
    await page.getByRole('button', { name: /^Save/ }).click();
    await expect(field(page, 'Retries')).toBeFocused();
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect(field(page, 'Retries')).toHaveValue('4');

    await page.getByRole('tab', { name: 'System' }).click();
    await page.getByRole('switch', { name: 'GitHub sign-in' }).check();
    await page.getByRole('button', { name: /^Save/ }).click();
    await expect(page.getByText('Set these first to use GitHub sign-in: Client ID, Client secret')).toBeVisible();
    await page.getByRole('region', { name: 'unsaved change' }).getByRole('button', { name: 'Discard' }).click();
  });

  await test.step('a secret is kept, and never shown', async () => {
    const secret = page.getByLabel('SMTP password');
    await secret.fill('the-mail-password');
    await page.getByRole('button', { name: /^Save/ }).click();
    await expectToast(page, '1 setting saved');
    await page.reload();
    await expect(secret).toHaveAttribute('placeholder', 'Set. Leave empty to keep it');
    await expect(secret).toHaveValue('');
    const listed = await context.request.get('/api/option/');
    expect(await listed.text()).not.toContain('the-mail-password');
  });

  await test.step('leaving with something unsaved asks first', async () => {
    await page.getByRole('tab', { name: 'Other' }).click();
    await field(page, 'Site name').fill('Half done');
    await page.getByRole('link', { name: 'Dashboard' }).first().click();
    await expect(page.getByRole('alertdialog')).toContainText('1 change');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await expect(field(page, 'Site name')).toHaveValue('Half done');
    await page.getByRole('region', { name: 'unsaved change' }).getByRole('button', { name: 'Discard' }).click();
  });

  await test.step('the site shows its new name at once; the history puts the old one back', async () => {
    await field(page, 'Site name').fill('Our Hub');
    await page.getByRole('button', { name: /^Save/ }).click();
    await expect(page.getByText('Our Hub').first()).toBeVisible();
    await page.getByRole('button', { name: 'History', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'History of all settings' });
    const change = drawer.getByRole('listitem').filter({ hasText: 'SystemName' });
    await expect(change).toContainText('Our Hub');
    await expect(drawer).not.toContainText('the-mail-password');
    await change.getByRole('button', { name: 'Restore' }).click();
    await expectToast(page, 'Site name restored');
    expect((await (await context.request.get('/api/status')).json()).data.system_name).toBe('Relay Hub');
    await page.keyboard.press('Escape');
    await expect(drawer).toBeHidden();
    await expect(page).not.toHaveURL(/history=/);
    await expect(field(page, 'Site name')).toHaveValue('Relay Hub');
  });

  await test.step('a search finds settings of every tab, by name, description and key', async () => {
    await page.keyboard.press('/');
    await expect(page.getByRole('searchbox')).toBeFocused();
    await page.keyboard.type('SMTPPort');
    await expect(page).toHaveURL(/q=SMTPPort/);
    await expect(field(page, 'SMTP port')).toBeVisible();
    await expect(field(page, 'Site name')).toBeHidden();
    // The results are from all tabs: no tab is selected, and each tab leaves the search.
    await expect(page.getByRole('tab', { selected: true })).toHaveCount(0);
    await page.getByRole('tab', { name: 'Operations' }).focus();
    await page.keyboard.press('End');
    await expect(page.getByRole('tab', { name: 'Other', selected: true })).toBeFocused();
    await expect(field(page, 'Site name')).toBeVisible();
    await page.getByRole('searchbox').fill('nothing of the kind');
    await expect(page.getByText('No settings match')).toBeVisible();
  });

  await test.step('the operator hears that no source of updates is set', async () => {
    await page.goto('/panel/setting?tab=other');
    await page.getByRole('button', { name: 'Check for updates' }).click();
    await expect(page.getByText('No update source is set, so there was nothing to check.')).toBeVisible();
  });
});

test('fixed settings give the reason, unused ones are hidden, and old calls can be deleted', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.goto('/panel/setting?tab=operation');
  await page.getByRole('button', { name: 'Clean up…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete calls' }).click();
  await expect(page.getByText(/^The last clean-up deleted 0 calls and finished/)).toBeVisible();

  await page.getByRole('searchbox').fill('LogConsumeEnabled');
  const always = page.getByRole('switch', { name: 'Record calls' });
  await expect(always).toBeChecked();
  await expect(always).toBeDisabled();
  await expect(always).toHaveAccessibleDescription(/^Always on\. /);
  await page.getByRole('searchbox').fill('OldTokenMaxId');
  await expect(page.getByText('No settings match')).toBeVisible();
});

test('a maker of models is added, shown and deleted', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.goto('/panel/model_ownedby');
  await page.getByRole('button', { name: 'Add owner' }).click();
  const drawer = page.getByRole('dialog', { name: 'Add owner' });
  await drawer.getByLabel('ID', { exact: true }).fill('17');
  await drawer.getByLabel('Name', { exact: true }).fill('Black Forest Labs');
  await page.keyboard.press('Control+Enter');
  await expect(drawer.getByLabel('ID', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await drawer.getByLabel('ID', { exact: true }).fill('1004');
  await page.keyboard.press('Control+Enter');
  await expectToast(page, 'Added Black Forest Labs');
  await page.getByRole('searchbox').fill('black');
  const row = page.getByRole('row').filter({ hasText: 'Black Forest Labs' });
  await expect(row).toContainText('1004');
  await page.getByRole('button', { name: 'More actions for Black Forest Labs' }).click();
  await page.getByRole('menuitem', { name: /Delete owner/ }).click();
  await page.getByRole('button', { name: 'Delete owner', exact: true }).click();
  await expectToast(page, 'Deleted Black Forest Labs');
});

test('the audit log names settings, with values before and after', async ({ page, context, hub }) => {
  await signIn(context, hub);
  const set = async (values: Record<string, string | null>) =>
    expect((await page.request.put('/api/option/batch', { data: { values } })).ok()).toBe(true);
  await set({ SystemName: 'Hub of the audit', RetryTimes: '4' });
  try {
    await page.goto('/panel/audit?kind=option');
    const row = page.getByRole('row', { name: /Change setting/ }).first();
    await expect(row).toContainText(/Retries.*Site name/);
    await row.click();
    const detail = page.getByRole('dialog').or(page.getByRole('complementary', { name: /Change setting/ }));
    await expect(detail.getByRole('row', { name: /^Site name.*Hub of the audit$/ })).toBeVisible();
    await expect(detail.getByRole('rowheader', { name: 'SystemName' })).toHaveCount(0);
  } finally {
    await set({ SystemName: null, RetryTimes: null });
  }
});
