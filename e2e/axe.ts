import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { settled } from './watch.ts';

/** What axe objects to; `rules`: only these, where the rest cannot have changed. */
async function violationsOf(page: Page, rules?: string[]): Promise<string[]> {
  // In the page itself, and without a list of all that is well: nothing here is in a frame.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode();
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

/** Nothing wider than the window. */
export const fits = (page: Page): Promise<void> =>
  expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 'scrolls sideways by')
    .toBeLessThanOrEqual(0);

/** Nothing to object to in light and in dark, and nothing to scroll sideways. The page comes in light, and is left in dark. */
export async function isFineInEitherTheme(page: Page): Promise<void> {
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await settled(page);
  expect(await violationsOf(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await settled(page);
  expect(await violationsOf(page, ['color-contrast', 'link-in-text-block'])).toEqual([]);
  await fits(page);
}
