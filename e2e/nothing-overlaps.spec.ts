import type { Locator, Page } from '@playwright/test';
import { fits } from './axe.ts';
import { expect, signIn, test } from './hub.ts';
import { phone } from './parts.ts';
import { settled } from './page-helpers.ts';

/** Layout of neighbouring elements on narrow screens, and in either orientation. */

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
  await expect.poll(beyond, 'outside of the window').toEqual([]);
}

const turned = [
  { width: 844, height: 390 },
  { width: 390, height: 844 },
  { width: 1024, height: 768 },
  { width: 768, height: 1024 },
];
const turnedPages = ['/login', '/', '/price', '/panel', '/panel/channel', '/panel/token?edit=new', '/panel/setting'];

test('portrait or landscape, on phone and tablet: nothing overlaps, and every control can be reached', async ({
  page,
  context,
  hub,
}) => {
  for (const address of turnedPages)
    await test.step(address, async () => {
      if (address === '/panel') await signIn(context, hub);
      await page.goto(address);
      if (address.includes('edit')) await page.getByRole('dialog').waitFor();
      for (const size of turned) {
        await page.setViewportSize(size);
        await settled(page);
        await fits(page);
        expect(await covered(page), `${address} at ${size.width}×${size.height}`).toEqual([]);
      }
    });
  await test.step('a long menu on a phone that lies on its side', async () => {
    await page.setViewportSize({ width: 844, height: 390 });
    await page.goto('/about');
    await page.getByRole('button', { name: 'Appearance' }).click();
    await page.getByRole('menuitem', { name: 'Reset to defaults' }).waitFor();
    await settled(page);
    expect(await covered(page)).toEqual([]);
  });
});

/** Controls of the page, or of its open overlay, whose center cannot be scrolled into view or is covered. */
const covered = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const top = [...document.querySelectorAll('[role=menu], [role=dialog]')].at(-1) ?? document.body;
    const controls = [...top.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [role=tab]')];
    return controls
      .filter((each) => {
        const { width, height } = each.getBoundingClientRect();
        if (width <= 1 || height <= 1 || !each.checkVisibility({ visibilityProperty: true })) return false;
        each.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
        // The first line: the middle of a link over two lines can be outside of the link.
        const { x, y, width: wide, height: high } = each.getClientRects()[0] ?? each.getBoundingClientRect();
        const hit = document.elementFromPoint(x + wide / 2, y + high / 2);
        return !hit || !(each.contains(hit) || hit.contains(each) || hit.closest('label')?.contains(each));
      })
      .map((each) => each.outerHTML.slice(0, 160));
  });
