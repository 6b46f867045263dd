import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import type { Log, Self } from '@relay-hub/contract';
import { isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, type Hub, newHub, signIn, test as base } from './hub.ts';
import { choose, settled } from './page-helpers.ts';

/** Dashboard and analytics show the calls that were made. Uses a separate server, so that no other calls count. */
const test = base.extend<object, { hub: Hub }>({ hub: [newHub(), { scope: 'worker' }] });
test.describe.configure({ mode: 'serial' });

const caller = { username: 'caller', password: 'a-password-of-caller' };
const CREDITS = 5_000_000;
const CODE = 2_500_000;
/** As the console writes amounts: cents, below a dollar four significant digits without zeros behind the cents. */
function dollars(credits: number): string {
  const amount = credits / 500_000;
  const digits = amount < 1 ? 3 - Math.floor(Math.log10(amount)) : 2;
  return `$${amount.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}
const card = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** The only call on this server, and the account that made it. */
let row: Log;
let self: Self;

/** The page shows today and the days before, also when midnight has passed since the call. */
const keepDayOfCall = (page: Page): Promise<void> => page.clock.setFixedTime(row.created_at * 1000);

test('a user makes one call, and redeems one code', async ({ hub, upstream }) => {
  const root = await callsOf(hub);
  const channel = { type: 8, name: 'on', key: 'sk-any-key', base_url: upstream.url, models: 'gpt-4o-mini' };
  for (const each of [channel, { ...channel, name: 'off', status: 2 }, { ...channel, name: 'also off', status: 2 }])
    expect((await root.post('/api/channel/', { data: each })).ok()).toBe(true);
  await root.post('/api/user/', { data: { ...caller, group: 'default', quota: CREDITS } });
  const made = await root.post('/api/redemption/', { data: { name: 'gift', quota: CODE, count: 2 } });
  const [code] = ((await made.json()) as { data: string[] }).data;

  const own = await callsOf(hub, caller);
  expect((await own.post('/api/user/topup', { data: { key: code } })).ok()).toBe(true);
  const token = await own.post('/api/token/', { data: { name: 'one', unlimited_quota: true } });
  const { key } = ((await token.json()) as { data: { key: string } }).data;
  const answer = await own.post('/v1/chat/completions', {
    headers: { authorization: `Bearer ${key}` },
    data: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] },
  });
  expect(answer.ok()).toBe(true);
  await expect(async () => {
    const { data } = ((await (await own.get('/api/log/self/?log_type=2')).json()) as { data: { data: Log[] } }).data;
    expect(data).toHaveLength(1);
    row = data[0]!;
  }).toPass();
  self = ((await (await own.get('/api/user/self')).json()) as { data: Self }).data;
  expect(row.quota).toBeGreaterThan(0);
  expect(self.quota).toBe(CREDITS + CODE - row.quota);
  await own.dispose();
  await root.dispose();
});

test('the dashboard shows balance, usage, today’s calls and available models', async ({ page, context, hub }) => {
  await signIn(context, hub, caller);
  await keepDayOfCall(page);
  await page.goto('/panel/dashboard');
  await expect(card(page, 'Balance')).toContainText(dollars(self.quota));
  await expect(card(page, 'Balance')).toContainText(`${dollars(row.quota)} used · 1 call`);
  await expect(card(page, 'Requests today').locator('data')).toHaveText('1');
  await expect(card(page, 'Spent today')).toContainText(dollars(row.quota));
  const { prompt_tokens: read, completion_tokens: written } = row;
  await expect(card(page, 'Tokens today').locator('data')).toHaveText(String(read + written));
  await expect(card(page, 'Tokens today')).toContainText(`${read} in · ${written} out`);
  await expect(card(page, 'Spent in 7 days')).toContainText(dollars(row.quota));
  await card(page, 'Available models')
    .getByRole('button', { name: /OpenAI/ })
    .click();
  await expect(page.getByRole('menuitem', { name: /gpt-4o-mini/ })).toBeVisible();
});

test('analytics shows consumption, tokens, latency, requests, redemptions, registrations and totals', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.goto('/panel/analytics');
  await expect(card(page, 'Spent')).toContainText(dollars(row.quota));
  await expect(card(page, 'Requests').locator('data')).toHaveText('1');
  await expect(card(page, 'Tokens').locator('data')).toHaveText(String(row.prompt_tokens + row.completion_tokens));
  // The call was no stream, so there is no first token; one call has no quantiles, and no percentages.
  for (const name of ['Total time', 'Total time over time'])
    await expect(card(page, name)).toContainText('only 1 call');
  for (const [chart, value] of [
    ['Spending per day', dollars(row.quota)],
    ['Requests over time', '1'],
    ['Tokens over time', String(row.prompt_tokens + row.completion_tokens)],
    ['Redemptions', dollars(CODE)],
    ['Registrations', '2'],
  ] as const) {
    await expect(card(page, chart)).toContainText(value);
    await card(page, chart).getByRole('button', { name: 'View as table' }).click();
    await expect(card(page, chart).getByRole('table')).toContainText(value);
  }
  await expect(card(page, 'Speed by model').getByRole('row', { name: /gpt-4o-mini/ })).toContainText('0 of 1');
  await expect(card(page, 'Failed calls')).toContainText('No failed calls in this period');
  await expect(card(page, 'Redemptions')).toContainText('1 code · 1 person');
  await expect(card(page, 'Channels').getByRole('listitem')).toHaveText([/1\s*Enabled/, /0\s*Failing/, /2\s*Disabled/]);
  const totals = card(page, 'Users and credits');
  await expect(totals).toContainText('2 direct · 0 invited · 2');
  await expect(totals).toContainText(dollars(100_000_000 + self.quota));
  for (const name of ['Unredeemed codes', 'Redeemed codes'])
    await expect(totals.locator('div', { hasText: name }).last()).toContainText(`1 · ${dollars(CODE)}`);
});

test('a user sees their own usage, by model and by token', async ({ page, context, hub }) => {
  await signIn(context, hub, caller);
  await page.goto('/panel/dashboard');
  await page.getByRole('navigation').getByRole('link', { name: 'My usage' }).first().click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My usage');
  await expect(card(page, 'Spent')).toContainText(dollars(row.quota));
  await choose(page.getByRole('radio', { name: 'Token', exact: true }));
  await expect(card(page, 'Speed by token').getByRole('row', { name: /one/ })).toBeVisible();
  await expect(card(page, 'Top tokens')).toContainText(dollars(row.quota));
  for (const name of ['Top channels', 'Top users', 'Channels', 'Users and credits', 'Redemptions'])
    await expect(card(page, name)).toHaveCount(0);
  await expect(page.getByRole('radio', { name: /Channel|User/ })).toHaveCount(0);
  await expect(card(page, 'Refused calls')).toContainText('No refused calls in this period');
  const file = await page.request.get((await page.getByRole('link', { name: 'Export' }).getAttribute('href')) ?? '');
  expect((await file.text()).trim().split('\r\n')[1]).toMatch(
    new RegExp(`^\\d{4}-\\d\\d-\\d\\d,\\d+,one,1,0,${row.quota},`),
  );
  await isFineInEitherTheme(page);
});

test('charts share a crosshair, and a point opens the log', async ({ page, context, hub }) => {
  await signIn(context, hub, caller);
  await keepDayOfCall(page);
  await page.goto('/panel/usage');
  const spending = card(page, 'Spending per day').getByRole('group', { name: 'Chart of Spending per day' });
  await expect(spending.locator('svg')).toBeVisible();
  await settled(page);
  const plots = page.getByRole('group', { name: /^Chart of/ });
  const places = async () => JSON.stringify(await Promise.all((await plots.all()).map((plot) => plot.boundingBox())));
  const before = await places();
  await spending.focus();
  await page.keyboard.press('End');
  await expect(spending.getByRole('status')).toContainText('gpt-4o-mini');
  for (const name of ['Requests over time', 'Tokens over time'])
    await expect(card(page, name).locator('[data-crosshair="6"]')).toBeAttached();
  expect(await places()).toBe(before);
  await expect(card(page, 'Requests over time')).toContainText(/\d+ \w{3}: 1/);
  await page.keyboard.press('ArrowLeft');
  await expect(card(page, 'Requests over time').locator('[data-crosshair="5"]')).toBeAttached();
  await page.keyboard.press('Escape');
  await expect(page.locator('[data-crosshair]')).toHaveCount(0);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/panel\/log\?.*time=\d{4}-\d\d-\d\d/);
  await expect(page.getByRole('main')).toContainText('gpt-4o-mini');

  await page.goBack();
  const legend = card(page, 'Requests over time').getByRole('button', { name: /gpt-4o-mini/ });
  await expect(legend).toBeDisabled();
  const plot = card(page, 'Requests over time').getByRole('group', { name: /^Chart of/ });
  await plot.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await plot.boundingBox())!; // rendered
  await page.mouse.move(x + width * 0.75, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.92, y + height / 2);
  await expect(plot.locator('[data-span]')).toBeVisible();
  await page.mouse.up();
  await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d/);
  await expect(plot.locator('[data-span]')).toHaveCount(0);
  await page.goBack();
  await card(page, 'Requests over time').locator('[data-series="gpt-4o-mini"]').click();
  await expect(page).toHaveURL(/\/panel\/log\?.*model_name=gpt-4o-mini/);
});

test('a chart is downloaded as figures and as a picture', async ({ page, context, hub }) => {
  await signIn(context, hub, caller);
  await keepDayOfCall(page);
  await page.goto('/panel/usage');
  const requests = card(page, 'Requests over time');
  const drawn = requests.locator('[data-series="gpt-4o-mini"]');
  await expect(drawn).toBeVisible();
  const menu = requests.getByRole('button', { name: 'Download' });
  const choice = (name: string) => page.getByRole('menuitem', { name });
  await menu.focus();
  await page.keyboard.press('Enter');
  await expect(choice('Figures (CSV)')).toBeFocused();
  const [table] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  await expect(menu).toBeFocused();
  expect(table.suggestedFilename()).toMatch(/^Requests over time \d{4}-\d\d-\d\d \d{4}-\d\d-\d\d\.csv$/);
  const lines = readFileSync(await table.path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(lines).toHaveLength(8);
  expect(lines[0]).toBe('Time,gpt-4o-mini');
  expect(lines.slice(1, -1).every((line) => /^\d{4}-\d\d-\d\d,0$/.test(line))).toBe(true);
  expect(lines.at(-1)).toMatch(/^\d{4}-\d\d-\d\d,1$/);

  await menu.click();
  const [picture] = await Promise.all([page.waitForEvent('download'), choice('Picture (PNG)').click()]);
  expect(picture.suggestedFilename()).toBe(table.suggestedFilename().replace('csv', 'png'));
  const bytes = readFileSync(await picture.path());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  // It has the colour of the series: of its bar, and of its key in the legend.
  const rows = await drawn.evaluate(
    async (bar, content) => {
      const image = await createImageBitmap(new Blob([new Uint8Array(content)]));
      const pen = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true })!; // has 2d
      pen.fillStyle = getComputedStyle(bar).fill;
      pen.fillRect(0, 0, 1, 1);
      const wanted = pen.getImageData(0, 0, 1, 1).data.slice(0, 3).join(',');
      pen.drawImage(image, 0, 0);
      return Array.from({ length: image.height }, (_, y) => y).filter((y) => {
        const line = pen.getImageData(0, y, image.width, 1).data;
        return Array.from({ length: image.width }, (_each, x) => line.slice(x * 4, x * 4 + 3).join(',')).includes(
          wanted,
        );
      });
    },
    [...bytes],
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(
    rows.some((y, at) => y - (rows[at - 1] ?? y) > 40),
    'bar and legend',
  ).toBe(true);

  await requests.getByRole('button', { name: 'View as table' }).click();
  await menu.click();
  await expect(choice('Picture (PNG)')).toHaveAttribute('aria-disabled', 'true');
});

test('names have at least 240 px in lists, which do not scroll sideways', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.setViewportSize({ width: 1440, height: 900 });
  const lists = [
    ['channel', 'Channel'],
    ['pricing', 'Model'],
    ['log', 'Model'],
    ['token', 'Name'],
    ['token?scope=all', 'Name'],
  ] as const;
  for (const [path, name] of lists) {
    await page.goto(`/panel/${path}`);
    const head = page.getByRole('columnheader', { name, exact: true });
    await expect(head).toBeVisible();
    const [width, hidden] = await head.evaluate((cell) => {
      const frame = cell.closest('table')!.parentElement!; // a head is in a table, which has a frame
      return [cell.getBoundingClientRect().width, frame.scrollWidth - frame.clientWidth];
    });
    expect(width, path).toBeGreaterThanOrEqual(240);
    expect(hidden, path).toBeLessThanOrEqual(1);
  }
});
