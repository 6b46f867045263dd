import { expect, signIn, test } from './hub.ts';
import { expectToast, recordToasts } from './page-helpers.ts';

/** Invalid values are reported at the field, in the language of the user. */
test.beforeEach(async ({ context, hub }) => {
  await recordToasts(context);
  await signIn(context, hub);
});

for (const { code, title, fields, empty, low, json, proxy } of [
  {
    code: 'zh_CN',
    title: '添加渠道',
    fields: {
      name: '名称',
      priority: '优先级',
      weight: '权重',
      mapping: /^模型映射/,
      advanced: '高级',
      proxy: /^代理/,
    },
    empty: '不能为空。',
    low: ['不能小于 0。', '不能小于 1。'],
    json: '第 1 行：缺少右花括号。',
    proxy: '请填写 http://、https:// 或 socks5:// 地址，不含路径和参数。',
  },
  {
    code: 'zh_HK',
    title: '新增渠道',
    fields: {
      name: '名稱',
      priority: '優先次序',
      weight: '權重',
      mapping: /^模型對應/,
      advanced: '進階',
      proxy: /^代理伺服器/,
    },
    empty: '不能留空。',
    low: ['不能小於 0。', '不能小於 1。'],
    json: '第 1 行：缺少右大括號。',
    proxy: '請填寫 http://、https:// 或 socks5:// 地址，不含路徑和參數。',
  },
  {
    code: 'en_US',
    title: 'Add channel',
    fields: {
      name: 'Name',
      priority: 'Priority',
      weight: 'Weight',
      mapping: /^Model mapping/,
      advanced: 'Advanced',
      proxy: /^Proxy/,
    },
    empty: 'This field is required.',
    low: ['Must be at least 0.', 'Must be at least 1.'],
    json: 'Line 1: missing closing brace.',
    proxy: 'Enter an http://, https:// or socks5:// address without path or parameters.',
  },
  {
    code: 'ja_JP',
    title: 'チャネルを追加',
    fields: {
      name: '名前',
      priority: '優先度',
      weight: '重み',
      mapping: /^モデルの対応付け/,
      advanced: '詳細',
      proxy: /^プロキシ/,
    },
    empty: '入力してください。',
    low: ['0 以上にしてください。', '1 以上にしてください。'],
    json: '1行目：右波括弧がありません。',
    proxy: 'http://、https://、socks5:// のいずれかの URL を、パスとパラメーターなしで入力してください。',
  },
])
  test(`an invalid channel is reported at its fields in ${code}`, async ({ page }) => {
    await page.goto(`/panel/channel?edit=new&lng=${code}`);
    const drawer = page.getByRole('dialog', { name: title });
    const field = (label: string | RegExp) => drawer.getByLabel(label, { exact: true });
    await field(fields.name).fill('');
    await field(fields.priority).fill('-1');
    await field(fields.weight).fill('0');
    await field(fields.mapping).fill('{ "a": "b"');
    await drawer.getByText(fields.advanced, { exact: true }).click();
    await field(fields.proxy).fill('ftp://proxy');
    await drawer.getByText(fields.advanced, { exact: true }).click();
    await drawer.getByRole('button', { name: title }).click();
    // Name, key and models; a folded section opens only if nothing else is invalid.
    await expect(drawer.getByText(empty, { exact: true })).toHaveCount(3);
    for (const words of [...low, json]) await expect(drawer.getByText(words, { exact: true })).toBeVisible();
    await expect(drawer.getByText(proxy, { exact: true })).toHaveCount(1);
    await expect(field(fields.name)).toBeFocused();
  });

test('the provider’s models are requested only once all required fields are filled', async ({ page }) => {
  await page.goto('/panel/channel?edit=new');
  const drawer = page.getByRole('dialog', { name: 'Add channel' });
  await drawer.getByLabel('Type', { exact: true }).click();
  await page.getByRole('option', { name: /OpenAI-compatible/ }).click();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  await drawer.getByRole('button', { name: 'Fetch from provider' }).click();
  // The key and the base URL.
  await expect(drawer.getByText('This field is required.', { exact: true })).toHaveCount(2);
  expect(requests).not.toContain('/api/channel/provider_models_list');
});

test('a maker of models has an id above 1000, and an icon that is one', async ({ page }) => {
  await page.goto('/panel/model_ownedby?edit=new');
  const drawer = page.getByRole('dialog', { name: 'Add owner' });
  await drawer.getByRole('textbox', { name: 'ID', exact: true }).fill('1000');
  await drawer.getByRole('textbox', { name: 'Icon', exact: true }).fill('no icon at all');
  await drawer.getByRole('button', { name: 'Add owner' }).click();
  await expect(drawer.getByText('Must be above 1000.')).toBeVisible();
  await expect(drawer.getByText('This field is required.')).toBeVisible();
  await expect(drawer.getByText(/^Enter the name of a built-in icon/)).toBeVisible();
});

test('a price per call has one field, and leftover values in other fields do not block it', async ({ page }) => {
  await page.goto('/panel/pricing?edit=new:song-maker');
  const drawer = page.getByRole('dialog', { name: 'Add price' });
  await drawer.getByLabel('Provider').click();
  await page.getByRole('option', { name: 'OpenAI', exact: true }).click();
  await drawer.getByLabel('Output', { exact: true }).fill('-1');
  await drawer.getByText('Per call').click();
  await drawer.getByLabel('Price per call', { exact: true }).fill('-1');
  await drawer.getByRole('button', { name: 'Add price' }).click();
  await expect(drawer.getByText('Must be at least 0.')).toBeVisible();
  await drawer.getByLabel('Price per call', { exact: true }).fill('2');
  await drawer.getByRole('button', { name: 'Add price' }).click();
  await expectToast(page, 'Saved the price of song-maker');
  const { data } = (await (await page.request.get('/api/prices')).json()) as { data: { model: string }[] };
  expect(data.find(({ model }) => model === 'song-maker')).toMatchObject({ type: 'times', input: 2, output: 0 });
});

test('a press that leaves an empty required field takes effect, although the error moves what is pressed', async ({
  page,
}) => {
  await page.goto('/panel/token?edit=new');
  const drawer = page.getByRole('dialog', { name: 'Create token' });
  await drawer.getByLabel('Name', { exact: true }).focus();
  const preset = drawer.getByRole('button', { name: 'Team member' });
  const { x, y } = (await preset.boundingBox())!;
  await page.mouse.move(x + 8, y + 4);
  await page.mouse.down();
  // Long enough for the error to be painted.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.mouse.up();
  await expect(drawer.getByText('This field is required.')).toBeVisible();
  expect((await preset.boundingBox())!.y, 'the error takes room').toBeGreaterThan(y + 4);
  await expect(drawer.getByLabel('Budget')).toHaveValue('50');
});

test('an unlimited token is created whatever value remains in the limit field', async ({ page }) => {
  await page.goto('/panel/token?edit=new');
  const drawer = page.getByRole('dialog', { name: 'Create token' });
  await drawer.getByLabel('Name', { exact: true }).fill('unlimited');
  const unlimited = drawer.getByRole('switch', { name: 'Unlimited quota' });
  await unlimited.click();
  await drawer.getByRole('textbox', { name: /^Quota/ }).fill('-1');
  await drawer.getByRole('button', { name: /Create token/ }).click();
  await expect(drawer.getByText('Must be at least 0.')).toBeVisible();
  await unlimited.click();
  await drawer.getByRole('button', { name: /Create token/ }).click();
  await expect(page.getByRole('dialog', { name: 'Token unlimited is ready' })).toBeVisible();
});

test('the default group is named in the reader’s language in its form, and keeps its name when something else is changed', async ({
  page,
}) => {
  const stored = async () => {
    const answer = await page.request.get('/api/user_group/?page=1&size=100');
    const { data } = (await answer.json()) as { data: { data: { symbol: string; name: string; api_rate: number }[] } };
    return data.data.find(({ symbol }) => symbol === 'default');
  };
  const before = await stored();
  await page.goto('/panel/user_group?edit=1');
  const drawer = page.getByRole('dialog', { name: 'Edit group' });
  await expect(drawer.getByLabel('Name', { exact: true })).toHaveValue('Default group');
  await drawer.getByLabel('Calls per minute').fill('301');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Saved Default group');
  expect(await stored()).toMatchObject({ name: before?.name, api_rate: 301 });
  expect(before?.name).not.toBe('Default group');
});
