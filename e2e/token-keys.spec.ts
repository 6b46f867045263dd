import { isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, signIn, test } from './hub.ts';
import { choose, copiedText, editBy, expectToast, recordToasts } from './page-helpers.ts';

/** Keys of a token from its rotation to the end of the old one, and tokens as administrators see them. */
test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const owner = { username: 'owner', password: 'a-password-of-owner' };
const heir = { username: 'heir', password: 'a-password-of-heir' };

test.beforeEach(async ({ context, hub }) => {
  await recordToasts(context);
  await signIn(context, hub);
});

test('rotate a key, see both keys, end the old one; all by keyboard where it opens', async ({ page }) => {
  const made = await page.request.post('/api/token/', { data: { name: 'runner', unlimited_quota: true, tag: 'ci' } });
  const { data } = (await made.json()) as { data: { key: string } };
  await page.request.post('/api/token/', { data: { name: 'other', unlimited_quota: true } });
  const refused = await page.request.post('/v1/chat/completions', {
    headers: { authorization: `Bearer ${data.key}` },
    data: { model: 'nobody-serves-this', messages: [{ role: 'user', content: 'hi' }] },
  });
  expect(refused.status()).toBe(404);
  await page.goto('/panel/token');

  await test.step('the list is filtered by tag', async () => {
    await page.getByRole('button', { name: /Cost centre/ }).click();
    await page.getByRole('dialog', { name: 'Cost centre' }).getByRole('button', { name: 'ci' }).click();
    await expect(page).toHaveURL(/tag=ci/);
    // The choice closes, and gives the focus back to its button.
    await expect(page.getByRole('dialog', { name: 'Cost centre' })).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Cost centre: ci' })).toBeFocused();
    await expect(page.getByRole('row', { name: /other/ })).toHaveCount(0);
  });

  const row = page.getByRole('row', { name: /runner/ });
  await test.step('rotate, with 24 hours for the old key', async () => {
    await row.getByRole('button', { name: /More actions/ }).press('Enter');
    await page.getByRole('menuitem', { name: 'Rotate key…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Rotate the key of runner?' });
    await expect(dialog.getByRole('radio', { name: '24 hours' })).toBeChecked();
    await isFineInEitherTheme(page);
    await page.emulateMedia({ colorScheme: 'light' });
    await dialog.getByRole('radio', { name: 'Until…' }).check();
    await dialog.getByLabel('Until', { exact: true }).fill('2999-01-01T00:00');
    await expect(dialog.getByRole('button', { name: 'Create new key' })).toBeDisabled();
    await dialog.getByRole('radio', { name: '24 hours' }).check();
    await dialog.getByRole('button', { name: 'Create new key' }).click();
    const ready = page.getByRole('dialog', { name: 'Token runner is ready' });
    // The refusal of the old key is no verdict on the new one.
    await expect(ready.getByText(/Waiting for/)).toContainText('last call');
    await expect(ready.getByText(/^Refused/)).toHaveCount(0);
    await ready.getByRole('button', { name: 'Copy token' }).click();
    const key = await copiedText(page, /^sk-[A-Za-z0-9]{48}$/);
    expect(key).not.toBe(data.key);
    await ready.getByRole('button', { name: 'Done' }).click();
    await expect(row.getByText('Rotating')).toBeVisible();
  });

  await test.step('the form shows both keys and ends the old one', async () => {
    await editBy(row.getByText('runner').first());
    const form = page.getByRole('dialog', { name: 'Edit token' });
    await expect(form.getByText(`••••••••${data.key.slice(-4)}`)).toBeVisible();
    await isFineInEitherTheme(page);
    await page.emulateMedia({ colorScheme: 'light' });
    await form.getByRole('button', { name: 'End now' }).click();
    const question = page.getByRole('alertdialog', { name: 'End the old key of runner?' });
    await question.getByRole('button', { name: 'End old key' }).click();
    await expectToast(page, 'The old key of runner has ended');
    await expect(row.getByText('Rotating')).toHaveCount(0);
  });
});

test('an administrator finds a token by its end, limits and transfers it, and never sees the key', async ({
  page,
  hub,
}) => {
  for (const who of [owner, heir])
    expect((await page.request.post('/api/user/', { data: { ...who, group: 'default' } })).ok()).toBe(true);
  const calls = await callsOf(hub, owner);
  const made = await calls.post('/api/token/', { data: { name: 'wandering', unlimited_quota: true } });
  const { data } = (await made.json()) as { data: { key: string } };
  await calls.dispose();
  await page.goto('/panel/token');
  await choose(page.getByRole('radio', { name: 'All tokens' }));
  await expect(page).toHaveURL(/scope=all/);

  await test.step('a pasted key finds it; only the end is kept in the address', async () => {
    await page.getByRole('searchbox').fill(data.key);
    await expect(page).toHaveURL(new RegExp(`keyword=${data.key.slice(-4)}`));
    await expect(page.getByRole('row', { name: /wandering.*owner/ })).toHaveCount(1);
    expect(page.url()).not.toContain(data.key.slice(3, 20));
    await isFineInEitherTheme(page);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  const row = page.getByRole('row', { name: /wandering/ });
  await test.step('limit it', async () => {
    await editBy(row.getByText('wandering'));
    const form = page.getByRole('dialog', { name: 'Edit limits' });
    await form.getByLabel('Budget').fill('5');
    await form.getByRole('button', { name: /Save/ }).click();
    await expectToast(page, 'Saved wandering');
    await expect(row.getByText('of $5 a day').first()).toBeVisible();
    await page.getByRole('dialog', { name: 'wandering' }).getByRole('button', { name: 'Close' }).click();
  });

  await test.step('disable it, and enable it by Undo', async () => {
    await row.getByRole('button', { name: /More actions/ }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await expect(row.getByText('Disabled')).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row.getByText('Disabled')).toHaveCount(0);
  });

  await test.step('transfer it', async () => {
    await row.getByRole('button', { name: /More actions/ }).click();
    await page.getByRole('menuitem', { name: 'Transfer…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Transfer token wandering?' });
    await dialog.getByLabel('New owner').first().fill('hei');
    await dialog.getByRole('radio', { name: /heir/ }).check();
    await isFineInEitherTheme(page);
    await dialog.getByRole('button', { name: 'Transfer to heir' }).click();
    await expectToast(page, 'wandering now belongs to heir');
    await expect(page.getByRole('row', { name: /wandering.*heir/ })).toHaveCount(1);
    expect(await page.content()).not.toContain(data.key.slice(3, 20));
  });
});
