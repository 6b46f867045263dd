import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { settled } from './page-helpers.ts';

/** Violations that axe finds; `rules` limits the check to rules whose result can have changed. */
async function violationsOf(page: Page, rules?: string[]): Promise<string[]> {
  // Legacy mode without passed rules is faster; no page has frames.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode();
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

/** The page does not scroll sideways. */
export const fits = (page: Page): Promise<void> =>
  expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 'scrolls sideways by')
    .toBeLessThanOrEqual(0);

/** No violations in light and dark, no sideways scrolling. Expects the page in light and leaves it in dark. */
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
