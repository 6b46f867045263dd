import { expect, signIn, test } from './hub.ts';
import { inPanel } from './page-helpers.ts';

/** Widths beyond a laptop, and a zoom of 200 %, which halves the page's width and height. */

test('wide screens are used by lists and charts, and forms stay as wide as on a laptop', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.setViewportSize({ width: 1920, height: 1000 });
  const widthOf = async (screen: string): Promise<number> => {
    await page.goto(`/panel/${screen}`);
    await inPanel(page);
    return (await page.getByRole('main').boundingBox())!.width;
  };
  for (const screen of ['dashboard', 'analytics', 'log']) expect(await widthOf(screen), screen).toBeGreaterThan(1600);
  for (const screen of ['setting', 'topup', 'profile']) expect(await widthOf(screen), screen).toBeLessThanOrEqual(1400);

  await page.setViewportSize({ width: 2560, height: 1300 });
  for (const screen of ['dashboard', 'analytics']) expect(await widthOf(screen), screen).toBeLessThanOrEqual(1680);
  await page.goto('/panel/log');
  const heads = page.getByRole('table', { name: 'Log' }).getByRole('columnheader');
  await expect(heads.first()).toBeVisible();
  const widths = await heads.evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
  // No column is far from the next one because another one took all the room.
  expect(Math.max(...widths)).toBeLessThan(widths.reduce((sum, each) => sum + each) * 0.4);
});

// every-page.spec.ts has the width of all pages at this zoom.
test('at a zoom of 200 % the rows have the room of their footer', async ({ page, context, hub }) => {
  await signIn(context, hub);
  await page.setViewportSize({ width: 720, height: 450 });
  await page.goto('/panel/pricing');
  const pager = page.getByRole('navigation', { name: 'Pages' });
  await expect(pager).toBeAttached();
  expect(await pager.evaluate((each) => each.getBoundingClientRect().top)).toBeGreaterThan(450);
});

test('a wide dashboard has a third column, and a laptop of 1366 pixels shows whole rows of every list', async ({
  page,
  context,
  hub,
}) => {
  await signIn(context, hub);
  await page.setViewportSize({ width: 1920, height: 1000 });
  await page.goto('/panel/dashboard');
  const spenders = page.getByRole('region', { name: 'Top users' });
  await expect(spenders).toContainText(/\$|Appears after a few calls/);
  await page.setViewportSize({ width: 1366, height: 768 });
  await expect(spenders).toBeHidden();
  for (const screen of [
    'log',
    'channel',
    'token',
    'token?scope=all',
    'user',
    'user/inviters',
    'plan_sale',
    'redemption',
    'payment',
  ]) {
    await page.goto(`/panel/${screen}`);
    await inPanel(page);
    const head = page.getByRole('columnheader').last();
    await expect(head, screen).toBeVisible();
    expect(await head.evaluate((cell) => cell.closest('table')!.parentElement!.scrollWidth), screen).toBeLessThan(1058);
  }
});
