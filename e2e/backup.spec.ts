import { readFileSync } from 'node:fs';
import { expect, signIn, test } from './hub.ts';
import { recordToasts } from './page-helpers.ts';

test.beforeEach(({ context }) => recordToasts(context));

test('a backup is made, downloaded under a passphrase, and deleted', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.goto('/panel/setting');
  const backups = page.getByRole('region', { name: 'Backups' });
  await expect(backups.getByText('No backups yet')).toBeVisible();
  await backups.getByRole('button', { name: 'Back up now' }).click();
  const row = backups.getByRole('listitem').first();
  await expect(row.getByText('Done')).toBeVisible();
  await expect(row.getByText('root')).toBeVisible();

  await row.getByRole('button', { name: /^Actions for the backup/ }).click();
  await page.getByRole('menuitem', { name: 'Download' }).click();
  const dialog = page.getByRole('dialog', { name: 'Download backup' });
  await dialog.getByLabel('Passphrase', { exact: true }).fill('too short');
  await dialog.getByRole('button', { name: 'Download' }).click();
  await expect(dialog.getByText('Enter at least 12 characters.')).toBeVisible();
  await dialog.getByLabel('Passphrase', { exact: true }).fill('correct horse battery');
  await dialog.getByLabel('Repeat the passphrase').fill('correct horse batter');
  await expect(dialog.getByText('The two passphrases differ.')).toBeVisible();
  await dialog.getByLabel('Repeat the passphrase').fill('correct horse battery');
  const started = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download' }).click();
  const download = await started;
  expect(download.suggestedFilename()).toMatch(/^relay-hub-[0-9a-f]{8}-\d{8}T\d{6}Z\.tar\.gz\.age$/);
  expect(readFileSync(await download.path(), 'latin1')).toMatch(/^age-encryption\.org\/v1\n-> scrypt /);
  await expect(dialog).toBeHidden();

  await row.getByRole('button', { name: /^Actions for the backup/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete backup' }).click();
  await expect(row.getByText('removed')).toBeVisible();
});
