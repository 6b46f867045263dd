import type { Locator, Page } from '@playwright/test';
import { callsOf, type Hub, newHub, test as base } from './hub.ts';
import { copiedText } from './page-helpers.ts';

export const models = ['gpt-4o-mini', 'claude-sonnet-4-20250514', 'gemini-2.5-pro', 'text-embedding-3-small'];

/** The answer of the simulated provider. */
export const answer = /Hello! How can I help you today/;

/** Tests with a separate server, models of three dialects and two tokens; `keys` has their keys by name. */
export const test = base.extend<object, { hub: Hub; keys: Record<string, string> }>({
  hub: [newHub({ CONNECT: '1' }), { scope: 'worker' }],
  keys: [
    async ({ hub, upstream }, use) => {
      const api = await callsOf(hub);
      const channel = {
        type: 8,
        name: 'all',
        base_url: upstream.url,
        models: models.join(),
        test_model: 'gpt-4o-mini',
      };
      await api.post('/api/channel/', { data: { ...channel, key: 'sk-up' } });
      const keys: Record<string, string> = {};
      for (const name of ['first', 'second']) {
        const reply = await api.post('/api/token/', { data: { name, unlimited_quota: true } });
        keys[name] = ((await reply.json()) as { data: { key: string } }).data.key;
      }
      await api.dispose();
      await use(keys);
    },
    { scope: 'worker', auto: true },
  ],
});

export const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name, exact: true });

/** Opens a tool's recipe with the token `first`. */
export async function openTool(page: Page, id: string, name: string): Promise<Locator> {
  await page.goto(`/panel/token?connect=${id}`);
  const opened = dialog(page, name);
  await opened.getByLabel('Token', { exact: true }).click();
  await page.getByRole('option', { name: 'first' }).click();
  return opened;
}

/** The text that the page copies for a step, with the key. */
export async function copied(page: Page, step: Locator): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await step.getByRole('button', { name: /^Copy/ }).first().click();
  return copiedText(page, /./);
}
