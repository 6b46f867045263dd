import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { APIRequestContext, Page } from '@playwright/test';
import { isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, type Hub, signIn, startHub, test as base } from './hub.ts';
import { desk, phone } from './parts.ts';
import { settled } from './page-helpers.ts';

/**
 * Rows that are visible without scrolling, in lists with much data. Uses a separate server with a long log, many
 * channels and prices, and names of the maximum length.
 */
const LOG_ROWS = 100_000;
const CHANNELS = 50;
const PRICES = 1000;
const longName = 'a-name-of-sixty-characters-as-somebody-will-surely-type-it-in';
/** A name of the maximum length, by default sixty characters. */
const nameOf = (n: number, most = 60) => `${n} ${longName}`.slice(0, most);

const test = base.extend<object, { hub: Hub }>({
  hub: [
    async ({}, use) => {
      const dataDir = mkdtempSync(path.join(tmpdir(), 'relay-hub-rows-'));
      const rootPassword = 'a-password-of-root';
      execFileSync(
        process.execPath,
        ['scripts/seed/seed-logs.ts', '--rows', String(LOG_ROWS), '--users', '60', '--yes'],
        {
          cwd: path.join(import.meta.dirname, '..'),
          env: { ...process.env, DATA_DIR: dataDir, DATABASE_URL: '', ROOT_PASSWORD: rootPassword },
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      );
      const { stop, ...hub } = await startHub({ dataDir, rootPassword });
      try {
        await addMuch(hub);
        await use(hub);
      } finally {
        await stop();
      }
    },
    { scope: 'worker', timeout: 480_000 },
  ],
});

async function addMuch(hub: Hub): Promise<void> {
  const root = await callsOf(hub);
  const post = async (address: string, data: object, method = 'POST') => {
    const answer = await root.fetch(address, { method, data });
    expect(await answer.json(), address).toMatchObject({ success: true });
  };
  const channel = { type: 8, key: 'sk-any', base_url: 'http://127.0.0.1:9', models: 'gpt-4o' };
  for (let n = 0; n < CHANNELS; n++) await post('/api/channel/', { ...channel, name: nameOf(n) });
  const models = Array.from({ length: PRICES }, (_, n) => (n < 20 ? nameOf(n).replace(' ', '-') : `vendor/model-${n}`));
  const prices = models.map((model, n) => ({ model, type: 'tokens', channel_type: 1 + (n % 9), input: 1, output: 4 }));
  await post('/api/prices/multiple', { prices }, 'PUT');
  await post('/api/channel/', { ...channel, name: 'many', models: models.join(',') });
  for (let n = 0; n < 12; n++) {
    await post('/api/token/', { name: nameOf(n, 30), unlimited_quota: true });
    await post('/api/redemption/', { name: nameOf(n, 20), quota: 500_000, count: 1 });
    await post('/api/user_group/', { symbol: `group_${n}`, name: nameOf(n, 50), ratio: 1 });
    await post('/api/model_ownedby/', { id: 2001 + n, name: nameOf(n), icon: '' });
    await post('/api/option/telegram/', { command: `command_${n}`, description: nameOf(n), reply_message: 'A reply' });
  }
  await root.dispose();
}

const lists = [
  '/panel/channel',
  '/panel/token',
  '/panel/log',
  '/panel/redemption',
  '/panel/user',
  '/panel/user_group',
  '/panel/pricing',
  '/panel/pricing?view=merged',
  '/panel/model_ownedby',
  '/panel/telegram',
  '/panel/model_price',
  '/panel/ledger',
  '/panel/audit',
  '/price',
];
const rows = (page: Page) => page.locator('main :is(tbody > tr, ul[aria-label] > li, section li)');

/** Number of rows that are completely visible. */
const seen = (page: Page) =>
  rows(page).evaluateAll(
    (all) =>
      all.filter((row) => {
        const { top, bottom, left, width } = row.getBoundingClientRect();
        if (top < 0 || bottom > innerHeight || bottom - top < 20) return false;
        const over = document.elementFromPoint(left + width / 3, (top + bottom) / 2);
        return row.contains(over);
      }).length,
  );

/** Opens a page and expects at least `least` visible rows and no sideways scrolling. */
async function shows(page: Page, address: string, least: number): Promise<void> {
  await page.goto(address);
  await rows(page).filter({ hasText: /\w/ }).first().waitFor();
  await settled(page);
  await expect.poll(() => seen(page), 'rows in the window').toBeGreaterThanOrEqual(least);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}

test.beforeEach(async ({ roots }) => {
  await roots.emulateMedia({ colorScheme: 'light' });
  await roots.setViewportSize(desk);
});

for (const address of lists) {
  test(`${address} shows ten rows at once on a desk, where axe finds nothing in either theme`, async ({ roots }) => {
    await shows(roots, address, 10);
    await isFineInEitherTheme(roots);
  });

  test(`${address} shows its first record at once on a phone, where axe finds nothing in either theme`, async ({
    roots,
  }) => {
    await roots.setViewportSize(phone);
    await shows(roots, address, 1);
    await isFineInEitherTheme(roots);
  });
}

for (const address of ['/panel/log?size=100', '/panel/model_price', '/price'])
  test(`the head of ${address} stays in sight below the bar`, async ({ roots: page }) => {
    await shows(page, address, 10);
    await expect
      .poll(
        () =>
          page.evaluate(() => {
            // Once there are enough rows to scroll the first one out of view.
            scrollTo({ top: 900, behavior: 'instant' });
            const head = document.querySelector('main th')!;
            const { left, top, width, height } = head.getBoundingClientRect();
            const isAway = document.querySelector('main tbody td')!.getBoundingClientRect().bottom < 0;
            return isAway && head.contains(document.elementFromPoint(left + width / 2, top + height / 2));
          }),
        'the head is in sight',
      )
      .toBe(true);
  });

for (const address of [
  '/panel/dashboard',
  '/panel/analytics',
  '/panel/log?id=',
  '/panel/user?edit=2',
  '/panel/profile',
])
  test(`axe finds nothing on ${address}, full of figures, in either theme`, async ({ roots: page, hub }) => {
    await page.goto(address.endsWith('id=') ? address + (await newestCall(page.request, hub)) : address);
    if (address.includes('?')) await page.getByRole('dialog').first().waitFor();
    await isFineInEitherTheme(page);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(phone);
    await isFineInEitherTheme(page);
  });

async function newestCall(request: APIRequestContext, hub: Hub): Promise<number> {
  const answer = await request.get(`${hub.url}/api/log/?log_type=2&size=1`);
  const { data } = ((await answer.json()) as { data: { data: { id: number }[] } }).data;
  return data[0]?.id ?? 0;
}

test('of a hundred rows some come with the first paint, then those of the screen, then the others a few at a time', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.addInitScript(() => {
    const counts: number[] = [];
    Object.assign(globalThis, { counts });
    new MutationObserver(() => {
      const now = document.querySelectorAll('tbody > tr[data-row]').length;
      if (now !== (counts.at(-1) ?? 0)) counts.push(now);
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto('/panel/log?size=100');
  await expect(rows(page)).toHaveCount(100);
  const counts = await page.evaluate(() => (globalThis as unknown as { counts: number[] }).counts);
  expect(counts.length).toBeGreaterThan(3);
  expect(counts[0]).toBeGreaterThanOrEqual(8);
  expect(counts[1]).toBeGreaterThanOrEqual(18);
  expect(Math.max(...counts.map((count, at) => count - (counts[at - 1] ?? 0)))).toBeLessThanOrEqual(30);
});

test('the test data is complete', async ({ page, context, hub }) => {
  await signIn(context, hub);
  const count = async (address: string) =>
    ((await (await context.request.get(hub.url + address)).json()) as { data: { total_count: number } }).data
      .total_count;
  expect(await count('/api/channel/?page=1&size=1')).toBeGreaterThanOrEqual(CHANNELS);
  expect(await count('/api/log/?page=1&size=1')).toBeGreaterThan(1000);
  await page.goto('/price');
  await expect(page.getByText(/of 1,\d{3}/)).toBeVisible();
});
