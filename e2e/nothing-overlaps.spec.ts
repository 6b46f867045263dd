import type { Locator } from '@playwright/test';
import { expect, signIn, test } from './hub.ts';
import { settled } from './watch.ts';

/** What lies beside what, where there is little room. */
const phone = { width: 390, height: 844 };

const boxOf = async (element: Locator) => {
  const box = await element.boundingBox();
  if (!box) throw new Error('it is not on the page');
  return box;
};

test('the button that copies an example stands beside it on a phone', async ({ page, context, hub }) => {
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
