import axe from 'axe-core';
import { expect, type Page } from '@playwright/test';
import { settled } from './page-helpers.ts';

/** Violations that axe finds; `rules` limits the check to rules whose result can have changed. */
async function violationsOf(page: Page, rules?: string[]): Promise<string[]> {
  // Its half megabyte is parsed once per page load, not per check.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const checker = Reflect.get(globalThis, 'axe') as typeof axe;
    const { violations } = await checker.run(document, {
      resultTypes: ['violations'],
      // The files of the styles are for an experimental rule.
      preload: { assets: ['media'] },
      ...(only && { runOnly: { type: 'rule', values: only } }),
    });
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ target, any }) => `${target.join(' ')} (${any[0]?.message ?? 'no reason'})`).join(', ')}`,
    );
  }, rules);
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
