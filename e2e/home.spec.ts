import type { Page } from '@playwright/test';
import { callsOf, expect, test } from './hub.ts';

/** The call that the home page replays. */
test.beforeAll(async ({ hub, upstream }) => {
  const api = await callsOf(hub);
  const channel = { type: 8, name: 'home', key: 'sk-home', base_url: upstream.url, models: 'gpt-4o-mini' };
  expect((await api.post('/api/channel/', { data: channel })).ok()).toBe(true);
  await api.dispose();
});

const demo = (page: Page) => page.getByRole('region', { name: 'One call, as it happens' });
const button = (page: Page, name: string) => demo(page).getByRole('button', { name, exact: true });
/** Opacity of the last line, which appears last. */
const lastLine = (page: Page): Promise<number> =>
  demo(page)
    .getByText('Balance after')
    .evaluate((line) => Number(getComputedStyle(line.parentElement ?? line).opacity));
const numbers = (texts: string[]): number[] => texts.map((text) => Number(text.replaceAll(/[^\d.]/g, '')));

test('a call is replayed once in view, pauses and replays by keyboard, and moves nothing', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 480 });
  await page.goto('/');
  await button(page, 'Play').waitFor();
  expect(await lastLine(page)).toBe(0);
  await demo(page).scrollIntoViewIfNeeded();
  await button(page, 'Pause').press('Enter');
  const { height } = (await demo(page).boundingBox()) ?? {};
  expect(await lastLine(page)).toBe(0);
  await button(page, 'Play').press('Space');
  await button(page, 'Replay').waitFor();
  expect(await lastLine(page)).toBe(1);
  expect((await demo(page).boundingBox())?.height).toBe(height);
  await button(page, 'Replay').press('Enter');
  await button(page, 'Pause').waitFor();
  expect(await lastLine(page)).toBe(0);
});

test('with reduced motion the whole call is there at once, and its invoice adds up', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/');
  await expect(demo(page)).toContainText('429 Too many requests');
  expect(await lastLine(page)).toBe(1);
  await expect(demo(page).getByRole('button', { name: /Play|Pause|Replay/ })).toHaveCount(0);
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);

  const invoice = page.getByRole('region', { name: 'What a call costs' });
  const lines = await invoice.locator('dl').first().locator('dd').all();
  expect(lines.length).toBeGreaterThan(2);
  let sum = 0;
  for (const line of lines) {
    const [formula = '', amount = ''] = await line.locator('span').allTextContents();
    const [count = 0, ratio = 0, group = 0] = numbers(formula.split('×'));
    const [credits = 0] = numbers([amount]);
    expect(credits).toBeCloseTo(count * ratio * group, 5);
    sum += credits;
  }
  const [charged = 0, before = 0, after = 0] = await invoice
    .locator('data')
    .evaluateAll((amounts) => amounts.map((each) => Number(each.getAttribute('value'))));
  expect(charged).toBe(Math.ceil(Number(sum.toFixed(6))));
  expect(before - after).toBe(charged);
});
