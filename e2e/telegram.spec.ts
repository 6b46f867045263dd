import { startTelegram } from '../testing/elsewhere/local-telegram.ts';
import { isFineInEitherTheme } from './axe.ts';
import { callsOf, expect, signIn, test } from './hub.ts';
import { expectToast, recordToasts, settled } from './page-helpers.ts';

test('a command of the bot is written with a preview, published, answered and deleted', async ({
  page,
  context,
  hub,
}) => {
  const telegram = await startTelegram();
  const root = await callsOf(hub);
  const set = (values: Record<string, string | null>) => root.put('/api/option/batch', { data: { values } });
  try {
    await recordToasts(context);
    await signIn(context, hub);
    await page.goto('/panel/telegram');
    await expect(page.getByText('The bot is turned off.')).toBeVisible();
    const on = await set({
      TelegramApiAddress: telegram.url,
      TelegramBotToken: telegram.token,
      TelegramBotName: telegram.bot,
      TelegramBotEnabled: 'true',
    });
    expect(await on.json()).toMatchObject({ success: true });
    await expect.poll(() => telegram.commands.size, 'published menus').toBe(3);
    await page.reload();
    await expect(page.getByText('Online')).toBeVisible();
    await expect(page.getByText('Polling')).toBeVisible();
    await expect(page.getByRole('link', { name: `@${telegram.bot}` })).toBeVisible();

    await page.getByRole('button', { name: 'Add command' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Add command' });
    await drawer.getByRole('textbox', { name: 'Command', exact: true }).fill('balance');
    await drawer.getByRole('textbox', { name: 'Description', exact: true }).fill('How to reach us');
    await drawer.getByRole('textbox', { name: 'Text', exact: true }).fill('*Help* is near. Write to us');
    await expect(drawer.getByText(/Telegram refuses the format near/)).toBeVisible();
    await drawer.getByRole('textbox', { name: 'Text', exact: true }).fill('*Help* is near\\. Write to us');
    await expect(drawer.getByText(/Telegram refuses the format near/)).toBeHidden();
    await expect(drawer.locator('b')).toHaveText('Help');
    await page.keyboard.press('Control+Enter');
    await expect(drawer.getByText('The bot answers this command itself.')).toBeVisible();
    await drawer.getByRole('textbox', { name: 'Command', exact: true }).fill('support');
    await isFineInEitherTheme(page);
    await page.keyboard.press('Control+Enter');
    await expectToast(page, 'Saved /support');

    await expect(page.getByText('The menu in Telegram is out of date.', { exact: false })).toBeVisible();
    await page.getByRole('button', { name: 'Reload menu' }).click();
    await expectToast(page, 'Menu updated');
    await expect(page.getByText('The menu in Telegram is out of date.', { exact: false })).toBeHidden();
    expect(telegram.commands.get('')!.at(-1)).toEqual({ command: 'support', description: 'How to reach us' });
    await telegram.write({ id: 1, first_name: 'Me' }, '/support');
    await expect.poll(() => telegram.sent.at(-1)?.text, 'last answer').toBe('*Help* is near\\. Write to us');

    await page.getByRole('button', { name: 'More actions for /support' }).click();
    await page.getByRole('menuitem', { name: /Delete command/ }).click();
    await page.getByRole('button', { name: 'Delete command', exact: true }).click();
    await expectToast(page, 'Deleted /support');
    await settled(page);
  } finally {
    await set({ TelegramBotEnabled: null, TelegramBotToken: null, TelegramBotName: null, TelegramApiAddress: null });
    await root.dispose();
    await telegram.close();
  }
});
