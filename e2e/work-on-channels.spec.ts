import type { Page } from '@playwright/test';
import { expect, signIn, test } from './hub.ts';
import { choose, editBy, expectToast, recordToasts } from './page-helpers.ts';

/** Many channels: several keys, bulk changes and their undo. */
test.describe.configure({ mode: 'serial' });

test.beforeEach(async ({ context, hub }) => {
  await recordToasts(context);
  await signIn(context, hub);
});

const list = '/panel/channel';
const row = (page: Page, name: RegExp) => page.getByRole('row', { name });

test('a channel with several keys: one is switched off, the secret never comes back', async ({ page, upstream }) => {
  await page.goto(`${list}?edit=new`);
  const drawer = page.getByRole('dialog', { name: 'Add channel' });
  await drawer.getByLabel('Type', { exact: true }).click();
  // Types that nothing serves are not offered.
  await expect(page.getByRole('option', { name: 'OpenAI', exact: true })).toBeVisible();
  await expect(page.getByRole('option', { name: /not supported yet/ })).toHaveCount(0);
  await page.getByRole('option', { name: /OpenAI-compatible/ }).click();
  await drawer.getByLabel('Name', { exact: true }).fill('pool');
  await drawer.getByLabel('Base URL', { exact: false }).fill(upstream.url);
  await drawer.getByRole('switch', { name: 'Several keys' }).click();
  await drawer.getByLabel('Keys, one per line').fill('sk-first-key-0001\nsk-second-key-0002');
  await expect(drawer.getByText('2 keys in one channel')).toBeVisible();
  await drawer.getByRole('button', { name: 'Fetch from provider' }).click();
  await drawer.getByRole('button', { name: /Add all/ }).click();
  await drawer.getByLabel('Model mapping').fill('{ "fast": "gpt-4o-mini"');
  await drawer.getByRole('button', { name: 'Add channel' }).click();
  await expect(drawer.getByText('Line 1: missing closing brace.')).toBeVisible();
  await drawer.getByLabel('Model mapping').fill('{ "fast": "gpt-4o-mini" }');
  await drawer.getByText('Advanced', { exact: true }).click();
  await drawer.getByRole('button', { name: 'Add header' }).click();
  await drawer.getByLabel('Name', { exact: true }).last().fill('x-gate');
  await drawer.getByLabel('Value', { exact: true }).fill('a-secret-of-the-gate');
  await drawer.getByRole('button', { name: 'Add channel' }).click();
  await expect(drawer).toBeHidden();

  await editBy(row(page, /pool/));
  const edit = page.getByRole('dialog', { name: 'Edit channel' });
  await expect(edit.getByText('2 keys').first()).toBeVisible();
  await edit.getByRole('switch', { name: /0002 enabled/ }).click();
  await expect(edit.getByText('2 keys · 1 off')).toBeVisible();
  await edit.getByText('Advanced', { exact: true }).click();
  await expect(edit.getByLabel('Value (Stored)')).toHaveValue(/^•+$/);
  await page.keyboard.press('Escape');
  await expect(row(page, /1 of 2 keys off/)).toBeVisible();
});

test('rules for requests are pasted, moved by keyboard, refused where they may not be, explained and taken back', async ({
  page,
}) => {
  await page.goto(list);
  await editBy(row(page, /pool/));
  const edit = page.getByRole('dialog', { name: 'Edit channel' });
  await edit.getByText('Request rules', { exact: true }).click();
  await edit.getByRole('button', { name: 'Paste JSON' }).click();
  await edit.getByLabel('All rules (JSON)').fill('{"overwrite":true,"top_k":1,"user":"me"}');
  await edit.getByRole('button', { name: 'Apply', exact: true }).click();
  const rule = (place: number) => edit.getByRole('listitem', { name: `Rule ${place}`, exact: true });
  const path = (place: number) => rule(place).getByLabel('Field path');
  await expect(path(1)).toHaveValue('top_k');
  await edit.getByRole('button', { name: 'Move rule 2 up' }).focus();
  await page.keyboard.press('Enter');
  await expect(path(1)).toHaveValue('user');
  // The moved rule keeps the focus, at its other button where it has reached the end.
  await expect(edit.getByRole('button', { name: 'Move rule 1 down' })).toBeFocused();
  await path(1).fill('model');
  await path(1).blur();
  await expect(rule(1).getByText('The relay sets this itself')).toBeVisible();
  await path(1).fill('user');
  await edit.getByRole('button', { name: 'Save', exact: false }).last().click();
  await expect(edit).toBeHidden();
  await page.goto(`${list}?why=1&why_model=fast`);
  const why = page.getByRole('dialog', { name: 'Explain routing' });
  await why.getByText('Rules change the request').click();
  await expect(why.getByRole('group', { name: 'After the rules' })).toContainText('"user": "me"');
  await expect(why.getByRole('group', { name: 'Before the rules' })).not.toContainText('"user": "me"');

  await page.goto(list);
  await editBy(row(page, /pool/));
  await edit.getByText('Request rules', { exact: true }).click();
  for (const place of [2, 1]) await edit.getByRole('button', { name: `Delete rule ${place}` }).click();
  await edit.getByRole('button', { name: 'Save', exact: false }).last().click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, '1 channel restored');
  await page.goto(list);
  await editBy(row(page, /pool/));
  await expect(edit.getByText('2 rules')).toBeVisible();
});

test('many are changed with a preview, and taken back', async ({ page, upstream }) => {
  for (const name of ['north', 'south', 'west'])
    await page.request.post('/api/channel/', {
      data: {
        type: 8,
        name,
        key: `sk-${name}`,
        base_url: upstream.url,
        models: 'gpt-4o-mini',
        test_model: 'gpt-4o-mini',
      },
    });
  await page.goto(list);
  for (const name of [/north/, /south/]) await row(page, name).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Set tag' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change 2 channels' });
  await dialog.getByLabel('Tag').fill('poles');
  await expect(dialog.getByText('2 of 2 channels change')).toBeVisible();
  await dialog.getByRole('button', { name: 'Change 2 channels' }).click();
  await expect(row(page, /north.*poles/)).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, 'Undone: 2 channels restored');
  await expect(row(page, /poles/)).toHaveCount(0);

  await row(page, /west/).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Delete 1 channel' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete channel' }).click();
  await expect(row(page, /west/)).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row(page, /west/)).toBeVisible();
});

test('a tag’s channels are edited together', async ({ page }) => {
  await page.goto(list);
  for (const name of [/north/, /south/]) await row(page, name).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Set tag' }).click();
  await page.getByRole('dialog').getByLabel('Tag').fill('poles');
  await page.getByRole('dialog').getByRole('button', { name: 'Change 2 channels' }).click();
  await choose(page.getByRole('radio', { name: 'Tags' }));
  await expect(page).toHaveURL(/view=tags/);
  await row(page, /poles/).click();
  const drawer = page.getByRole('dialog', { name: 'Edit tag poles' });
  await drawer.getByLabel('Priority').fill('7');
  await drawer.getByRole('button', { name: /Change 2 channels/ }).click();
  await expectToast(page, 'Changed 2 channels tagged poles');
  await page.reload();
  await expect(row(page, /poles/).getByRole('textbox', { name: 'Priority of poles' })).toHaveValue('7');
});

test('a model check shows results one by one and can be stopped', async ({ page, upstream }) => {
  await page.request.post('/api/channel/', {
    data: { type: 8, name: 'able', key: 'sk-able', base_url: upstream.url, models: 'gpt-4o-mini,sim-hang' },
  });
  await page.goto(list);
  await row(page, /able/).getByRole('button', { name: 'More actions for able' }).click();
  await page.getByRole('menuitem', { name: 'Test models…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Check' }).check();
  await dialog.getByRole('button', { name: 'Check 2 models' }).click();
  await expect(dialog.getByText('1 of 2 checked')).toBeVisible();
  const verdict = dialog.getByRole('button', { name: 'gpt-4o-mini, Plain question: Passed' });
  await verdict.focus();
  await page.keyboard.press('Enter');
  const details = dialog.getByRole('region', { name: 'Plain question' });
  await expect(details.getByText('Returns the requested model name')).toBeVisible();
  await expect(verdict).toHaveAttribute('aria-expanded', 'true');
  const left = await upstream.requests.waitFor(({ body }) => body.includes('sim-hang'));
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await expect(dialog.getByText('Stopped: 1 of 2 checked')).toBeVisible();
  await expect.poll(() => left.outcome, 'end of the call').toBe('client_closed');
  await dialog.getByRole('checkbox', { name: 'sim-hang' }).uncheck();
  await dialog.getByRole('button', { name: 'Check 1 model' }).click();
  await expect(dialog.getByText(/^[01] of 1 model passes all checks$/)).toBeVisible();
});

test('channels are found by model, test model and key, of which the address holds only the end', async ({
  page,
  upstream,
}) => {
  const key = 'sk-to-be-found-by-0042';
  const channel = { type: 8, key, base_url: upstream.url, models: 'gpt-4o-mini', test_model: 'gpt-4o-mini' };
  for (const body of [
    { ...channel, name: 'lost-one' },
    { ...channel, name: 'lost-two', key: `${key}9`, models: 'gpt-4o-mini,o3', test_model: 'o3' },
  ])
    expect((await page.request.post('/api/channel/', { data: body })).ok()).toBe(true);
  await page.goto(`${list}?keyword=lost`);
  const [one, two] = [row(page, /lost-one/), row(page, /lost-two/)];
  const filter = async (name: string, text: string) => {
    await page.getByRole('search').getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('menuitem', { name }).click();
    const popover = page.getByRole('dialog', { name });
    await popover.getByRole('textbox').fill(text);
    await popover.getByRole('textbox').press('Enter');
    await expect(popover).toBeHidden();
  };
  await filter('Key ends in', key);
  await expect(two).toBeHidden();
  await expect(one).toBeVisible();
  await expect(page).toHaveURL(/key=0042(&|$)/);
  await page.reload();
  await expect(one).toBeVisible();
  await expect(two).toBeHidden();
  await page.getByRole('button', { name: 'Clear filter Key ends in' }).click();
  for (const [name, text] of [
    ['Models', 'o3'],
    ['Test model', 'o'],
  ] as const) {
    await filter(name, text);
    await expect(one).toBeHidden();
    await expect(two).toBeVisible();
    await page.getByRole('button', { name: `Clear filter ${name}` }).click();
    await expect(one).toBeVisible();
  }
});
