import type { Locator, Page } from '@playwright/test';
import type { Log } from '@relay-hub/contract';
import { expect, signIn, test } from './hub.ts';
import { editBy, expectToast, recordToasts, settled } from './page-helpers.ts';

/** Prices from a model without one to the public price page, and every undo. */
test.describe.configure({ mode: 'serial' });

const pricing = '/panel/pricing';
const own = 'house-model';

test.beforeEach(async ({ context, hub }) => {
  await recordToasts(context);
  await signIn(context, hub);
});

const rowOf = (page: Page, model: string) => page.getByRole('row').filter({ hasText: model });
const undo = (page: Page) => page.getByRole('button', { name: 'Undo', exact: true }).first().click();

test('a model of a channel gets a price with three fields, and it appears on the public page', async ({
  page,
  upstream,
  browser,
  hub,
}) => {
  // More entries than fit into the menu.
  const more = Array.from({ length: 30 }, (_, at) => `without-a-price-${at + 10}`);
  const channel = {
    type: 8,
    name: 'house',
    key: 'sk-any-key',
    base_url: upstream.url,
    models: ['gpt-4o', own, ...more].join(','),
  };
  expect((await page.request.post('/api/channel/', { data: channel })).ok()).toBe(true);
  await page.goto(pricing);
  await page.getByRole('button', { name: /^\d+ unpriced models?$/ }).click();
  for (const model of more) await expect(page.getByRole('menuitem', { name: model })).toHaveCount(1);
  await page.getByRole('menuitem', { name: own }).click();
  const drawer = page.getByRole('dialog', { name: 'Add price' });
  await drawer.getByRole('button', { name: 'Add price' }).click();
  await expect(drawer.getByRole('alert')).toHaveCount(3);
  await drawer.getByLabel('Provider').click();
  await page.getByRole('option', { name: 'OpenAI', exact: true }).click();
  await drawer.getByLabel('Input in dollars').fill('3');
  await expect(drawer.getByLabel('Input', { exact: true })).toHaveValue('1.5');
  await drawer.getByLabel('Output', { exact: true }).fill('6');
  await expect(drawer.getByLabel('Output in dollars')).toHaveValue('12');
  await drawer.getByRole('button', { name: 'Add price' }).click();
  await expectToast(page, `Saved the price of ${own}`);
  // Channels of other tests may have models without a price.
  const unpriced = await page.request.get('/api/prices/unpriced');
  expect(await unpriced.text()).not.toContain(own);

  const visitor = await (await browser.newContext({ baseURL: hub.url, locale: 'en-US' })).newPage();
  await visitor.goto('/');
  await visitor.getByRole('link', { name: 'Pricing', exact: true }).click();
  await visitor.getByRole('searchbox').fill('house');
  const row = rowOf(visitor, own);
  await expect(row).toContainText('$3.00');
  await expect(row).toContainText('$12.00');
  await visitor.getByText('per 1K').click();
  await expect(row).toContainText('$0.003');
  await visitor.getByText('CNY ¥').click();
  await expect(row).toContainText('¥0.021');
  await expect(visitor).toHaveURL(/keyword=house.*currency=CNY|currency=CNY.*keyword=house/);
  await visitor.reload();
  await expect(row).toContainText('¥0.084');
  await visitor.context().close();

  // In a narrow list, the numbers make room for the names of the models.
  await page.setViewportSize({ width: 940, height: 800 });
  await page.goto('/panel/model_price');
  const listed = rowOf(page, own);
  await expect(listed).toContainText('cached input');
  expect((await listed.getByRole('rowheader').boundingBox())?.width).toBeGreaterThan(220);
});

test('a change states its extent and can be undone', async ({ page }) => {
  await page.goto(`${pricing}?keyword=${own}`);
  await editBy(rowOf(page, own));
  const drawer = page.getByRole('dialog', { name: own });
  await drawer.getByLabel('Input', { exact: true }).fill('15');
  await expect(drawer.getByText('+900.0%')).toBeVisible();
  await expect(drawer.getByText('Check it again')).toBeVisible();
  await drawer.getByLabel('Input', { exact: true }).fill('2');
  await expect(drawer.getByText('+33.3%')).toBeVisible();
  await expect(drawer.getByText('Check it again')).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(rowOf(page, own)).toContainText('$4.00');
  await expect(drawer.getByRole('heading', { name: 'Price by group' })).toBeVisible();
  await page.keyboard.press('Escape');
  await undo(page);
  await expect(rowOf(page, own)).toContainText('$3.00');
  await editBy(rowOf(page, own));
  await page.getByRole('dialog', { name: own }).getByRole('button', { name: 'History' }).click();
  await expect(page.getByRole('dialog', { name: `Price history of ${own}` }).getByRole('listitem')).toHaveCount(3);
});

test('the second of two editors is warned, and nothing is lost', async ({ page }) => {
  await page.goto(`${pricing}?edit=${own}`);
  const drawer = page.getByRole('dialog', { name: own });
  await drawer.getByLabel('Input', { exact: true }).fill('9');
  const elsewhere = { model: own, type: 'tokens', channel_type: 1, input: 1.6, output: 6 };
  expect((await page.request.put(`/api/prices/single/${own}`, { data: elsewhere })).ok()).toBe(true);
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(drawer.getByText('Prices have changed in the meantime')).toBeVisible();
  await expect(drawer.getByLabel('Input', { exact: true })).toHaveValue('9');
  await page.request.put(`/api/prices/single/${own}`, { data: { ...elsewhere, input: 1.5 } });
});

test('a rule and a fee from the form are in words on the price page, and calculator and call agree', async ({
  page,
}) => {
  await page.goto(`${pricing}?edit=${own}`);
  const drawer = page.getByRole('dialog', { name: own });
  const add = async (button: string, entry: string) => {
    await drawer.getByRole('button', { name: button }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  await add('Add rule', 'Length of the prompt');
  await drawer.getByRole('button', { name: 'Save' }).click();
  // The threshold and both multiples, each at its field.
  await expect(drawer.getByRole('alert')).toHaveCount(3);
  await drawer.getByLabel('Over').fill('3');
  await drawer.getByLabel('Input', { exact: true }).nth(1).fill('2');
  await drawer.getByLabel('Output', { exact: true }).nth(1).fill('1.5');
  await expect(drawer.getByRole('button', { name: 'Edit: over 3 tokens: input 2×, output 1.5×' })).toBeVisible();
  await add('Add rule', 'Tier or speed');
  await drawer.getByLabel('priority', { exact: true }).check();
  await drawer.getByLabel('Input', { exact: true }).nth(1).fill('2.5');
  await drawer.getByLabel('Output', { exact: true }).nth(1).fill('2.5');
  const summary = drawer.getByRole('button', { name: 'Edit: priority: 2.5×' });
  await summary.press('Alt+ArrowUp');
  await expect(summary).toBeFocused();
  await expect(drawer.getByRole('button', { name: /^Edit: / })).toHaveText([/^priority/, /^over 3 tokens/]);
  await add('Add fee', 'web search');
  await drawer.getByLabel('Fee per web search').fill('5');
  await expect(drawer.getByLabel('web search in dollars per 1,000')).toHaveValue('10');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, `Saved the price of ${own}`);

  const token = await page.request.post('/api/token/', { data: { name: 'ruled', unlimited_quota: true } });
  const { key } = ((await token.json()) as { data: { key: string } }).data;
  const answer = await page.request.post('/v1/chat/completions', {
    headers: { authorization: `Bearer ${key}` },
    data: { model: own, messages: [{ role: 'user', content: 'Hello, how much is this call?' }] },
  });
  expect(answer.ok()).toBe(true);
  let row: Log | undefined;
  await expect(async () => {
    const log = await page.request.get(`/api/log/self/?log_type=2&model_name=${own}`);
    [row] = ((await log.json()) as { data: { data: Log[] } }).data.data;
    expect(row?.metadata?.rules).toHaveLength(1);
  }, 'log row of the call').toPass();
  const { id = 0, quota = 0, prompt_tokens: read = 0, completion_tokens: written = 0, metadata } = row ?? {};
  const charged = `${quota.toLocaleString('en-US')} = `;

  await page.goto(`/price?keyword=${own}`);
  const words = 'priority: 2.5× · over 3 tokens: input 2×, output 1.5× · web search $10.00 per 1,000';
  await expect(page.getByRole('row').filter({ hasText: 'over 3 tokens' })).toHaveText(words);
  await page.getByRole('button', { name: `Calculate the cost of ${own}` }).click();
  const calculator = page.getByRole('dialog', { name: own });
  const cached = metadata?.cached_tokens ?? 0;
  await calculator.getByLabel('Input', { exact: true }).fill(String(read - cached));
  await calculator.getByLabel('Cached input').fill(String(cached));
  await calculator.getByLabel('Output', { exact: true }).fill(String(written));
  const total = (scope: Locator) => scope.getByRole('row').filter({ hasText: 'Charged' });
  await expect(total(calculator)).toContainText(charged);
  await calculator.getByLabel('Web searches').fill('2');
  await expect(total(calculator)).toContainText(`${(quota + 10_000).toLocaleString('en-US')} = `);

  await page.goto(`/panel/log?id=${id}`);
  const detail = page.getByRole('dialog', { name: own });
  await expect(detail.getByRole('row').filter({ hasText: 'over 3 tokens' })).toContainText('× 2');
  await expect(total(detail)).toContainText(charged);
});

test('several at once: multiplied, deleted, and back again', async ({ page }) => {
  await page.goto(`${pricing}?keyword=tts-1`);
  const rows = page.getByRole('row').filter({ hasText: 'tts-1' });
  await settled(page);
  await expect(rows.first()).toBeVisible();
  const count = await rows.count();
  expect(count).toBeGreaterThan(1);
  const before = await rows.first().innerText();
  await page.getByLabel('Select this page').check();
  await page.getByRole('button', { name: 'Multiply prices' }).click();
  const dialog = page.getByRole('dialog', { name: `Multiply ${count} prices` });
  await dialog.getByLabel('Multiply by').fill('2');
  await dialog.getByRole('button', { name: `Multiply ${count} prices` }).click();
  await expect(rows.first()).toContainText('Own price');
  await undo(page);
  await expect(rows.first()).not.toContainText('Own price');
  await expect.poll(() => rows.first().innerText(), 'first row').toBe(before);

  await page.getByLabel('Select this page').check();
  await page.getByRole('button', { name: `Delete ${count}` }).click();
  await expect(rows).toHaveCount(0);
  await undo(page);
  await expect(rows).toHaveCount(count);
});

test('a list is looked at first, a jump stays out, and the update is undone', async ({ page }) => {
  const listed = await (await page.request.get('/api/prices')).json();
  const prices = (listed as { data: { model: string; input: number; output: number }[] }).data
    .filter(({ model }) => model !== 'babbage-002')
    .map((price) => (price.model === 'gpt-4' ? { ...price, input: price.input * 1000 } : price));
  const like = { ...prices[0], model: '', input: 0, output: 0 };
  prices.push({ ...like, model: 'brand-new', input: 1, output: 2 }, { ...like, model: 'broken', input: -1 });
  await page.goto(pricing);
  await page.getByRole('button', { name: 'Update prices' }).click();
  const dialog = page.getByRole('dialog', { name: 'Update prices' });
  await dialog.getByRole('radio', { name: /^File/ }).check();
  const chooser = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Choose file' }).click();
  await (
    await chooser
  ).setFiles({
    name: 'prices.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ data: prices })),
  });
  // The default option changes nothing that exists.
  await expect(dialog.getByRole('radio', { name: /^Add new only/ })).toBeChecked();
  await expect(dialog.getByRole('button', { name: 'Add 1', exact: true })).toBeVisible();
  await dialog.getByRole('radio', { name: /^Add, change and remove/ }).check();
  await expect(dialog.getByRole('tab', { name: 'Changed 1' })).toBeVisible();
  await expect(dialog.getByRole('checkbox', { name: 'Apply gpt-4', exact: true })).not.toBeChecked();
  await dialog.getByRole('tab', { name: 'Rejected 1' }).click();
  await expect(dialog.getByText('broken')).toBeVisible();
  await dialog.getByRole('tab', { name: 'Removed 1' }).click();
  await expect(dialog.getByText('babbage-002').first()).toBeVisible();
  const drop = dialog.getByRole('checkbox', { name: 'Apply babbage-002', exact: true });
  await expect(drop).not.toBeChecked();
  await expect(dialog.getByRole('button', { name: 'Add 1', exact: true })).toBeVisible();
  await drop.check();
  await dialog.getByRole('button', { name: 'Add 1, remove 1', exact: true }).click();
  await expect(page.getByText('1 added, 1 removed').first()).toBeVisible();
  await page.getByRole('button', { name: 'See changes' }).click();
  await expect(page.getByRole('dialog', { name: 'Update' }).getByText('brand-new').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Undo last update' }).click();
  await expectToast(page, 'Undone. Prices restored');
  await page.goto(`${pricing}?keyword=babbage-002`);
  await expect(rowOf(page, 'babbage-002')).toBeVisible();
});

test('a thousand models are listed and searched without waiting', async ({ page, upstream }) => {
  const models = Array.from({ length: 1000 }, (_, i) => `vendor/model-${i}`);
  const prices = models.map((model, i) => ({ model, type: 'tokens', channel_type: 1 + (i % 9), input: 1, output: 4 }));
  expect((await page.request.put('/api/prices/multiple', { data: { prices } })).ok()).toBe(true);
  const channel = { type: 8, name: 'many', key: 'sk-any-key', base_url: upstream.url, models: models.join(',') };
  expect((await page.request.post('/api/channel/', { data: channel })).ok()).toBe(true);
  await page.goto('/price');
  await expect(page.getByText(/of 1,\d{3}/)).toBeVisible();
  // Rows are rendered only as far as the user scrolls, the last of them a few at a time.
  let screen = 0;
  const isDrawn = async (): Promise<boolean> => {
    const before = screen;
    screen = await page.getByRole('row').count();
    // The head alone is drawn before the first rows.
    return before > 1 && screen === before;
  };
  await expect.poll(isDrawn, { message: 'the rows of the screen are drawn' }).toBe(true);
  expect(screen).toBeLessThan(200);
  await page.evaluate(() => {
    const made = { rows: 0 };
    Object.assign(globalThis, { made });
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        made.rows += [...addedNodes].filter((node) => node instanceof HTMLTableRowElement).length;
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole('searchbox').pressSequentially('model 77');
  await expect(page.getByText(/of 1,\d{3}/)).toContainText('Showing 19 of');
  // Only the last two of the keys change the result, and each makes a screen of rows at most.
  const { rows } = await page.evaluate(() => Reflect.get(globalThis, 'made') as { rows: number });
  expect(rows).toBeLessThanOrEqual(2 * screen);
});
