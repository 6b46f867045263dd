import type { Locator } from '@playwright/test';
import { expect, signIn, test } from './hub.ts';
import { phone } from './parts.ts';
import { settled } from './page-helpers.ts';

/** Layout of neighbouring elements on narrow screens. */

const boxOf = async (element: Locator) => {
  const box = await element.boundingBox();
  if (!box) throw new Error('it is not on the page');
  return box;
};

test('the copy button is next to its example on a phone', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.setViewportSize(phone);
  await page.goto('/panel/token?edit=new');
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('beside');
  await page.keyboard.press('Control+Enter');
  const dialog = page.getByRole('dialog', { name: 'Token beside is ready' });
  await dialog.waitFor();
  await settled(page);
  const code = await boxOf(dialog.getByRole('group', { name: 'curl' }));
  const copy = await boxOf(dialog.getByRole('button', { name: 'Copy curl' }));
  expect(code.x + code.width).toBeLessThanOrEqual(copy.x);
  expect(copy.x + copy.width).toBeLessThanOrEqual(phone.width);
});

test('long names keep drawers and dialogs within a phone', async ({ page, context, hub, upstream }) => {
  const name = 'anthropic-production-key-07-eu-central-1-evaluation-and-load';
  const model = 'accounts/fireworks/models/llama-v3p1-405b-instruct-long-eval';
  await signIn(context, hub);
  const body = {
    type: 8,
    name,
    key: 'sk-long',
    base_url: upstream.url,
    models: `gpt-4o-mini,${model}`,
    tag: 'a-long-tag',
  };
  const made = await page.request.post('/api/channel/', { data: body });
  const { data } = (await made.json()) as { data: { id: number }[] };
  const price = { model, type: 'tokens', channel_type: 0, input: 1, output: 2 };
  expect((await page.request.post('/api/prices/single', { data: price })).ok()).toBe(true);
  await page.setViewportSize(phone);

  await test.step('the form, with what the provider offers', async () => {
    await page.goto(`/panel/channel?edit=${data[0]?.id}`);
    const drawer = page.getByRole('dialog', { name: 'Edit channel' });
    await drawer.getByRole('button', { name: 'Fetch from provider' }).click();
    await drawer.getByText(/no longer offered/).waitFor();
    await isWithin(drawer);
  });
  await test.step('which channel a call would use', async () => {
    await page.goto(`/panel/channel?why=1&why_model=${encodeURIComponent(model)}`);
    const drawer = page.getByRole('dialog');
    await drawer.getByText(name).waitFor();
    await isWithin(drawer);
  });
  await test.step('tests and checks', async () => {
    await page.goto(`/panel/channel?keyword=${name}`);
    await page.getByRole('button', { name: `More actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Test models…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: `Test ${model}` }).waitFor();
    await isWithin(dialog);
    await dialog.getByRole('radio', { name: 'Check' }).check();
    await dialog.getByRole('button', { name: 'Check 2 models' }).waitFor();
    await isWithin(dialog);
  });
  await test.step('an update of prices that would drop its price', async () => {
    await page.goto('/panel/pricing?open=update');
    const dialog = page.getByRole('dialog', { name: 'Update prices' });
    await dialog.getByRole('button', { name: 'Preview changes' }).click();
    await dialog.getByRole('radio', { name: /^Add, change and remove/ }).check();
    await dialog.getByRole('tab', { name: /^Removed/ }).click();
    await dialog.getByRole('checkbox', { name: `Apply ${model}` }).waitFor();
    await isWithin(dialog);
  });
});

/** No text or control of the dialog is outside of the window. */
async function isWithin(dialog: Locator): Promise<void> {
  await settled(dialog.page());
  const beyond = () =>
    dialog.evaluate((box) =>
      [box, ...box.querySelectorAll('button, input, textarea, p, li, h2, h3')]
        .filter((each) => {
          const { left, right, width } = each.getBoundingClientRect();
          return width > 1 && (left < 0 || right > innerWidth + 0.5);
        })
        .map((each) => each.outerHTML.slice(0, 120)),
    );
  await expect.poll(beyond).toEqual([]);
}
