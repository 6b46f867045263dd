import { oauthApi, userApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { type LocalTelegram, startTelegram } from '#testing/elsewhere/local-telegram.ts';
import { openHubForSuite } from '#testing/elsewhere/ways-in.ts';
import { addAccount } from '#testing/people.ts';
import { httpProxyForSuite, socksProxyForSuite } from '#testing/network/proxies.ts';

onEveryDatabase('the proxy for Telegram', (make) => {
  const hub = openHubForSuite(make);
  const proxies = { http: httpProxyForSuite(), socks5: socksProxyForSuite() };
  let telegram: LocalTelegram;
  let last = 100;
  const addressOf = (scheme: keyof typeof proxies) => `${scheme}://127.0.0.1:${proxies[scheme]().port}`;
  const soon = (check: () => void) => vi.waitFor(check, 15_000);

  beforeAll(async () => {
    telegram = await startTelegram();
    await hub.set({
      TelegramApiAddress: telegram.url,
      TelegramBotToken: telegram.token,
      TelegramBotName: telegram.bot,
    });
  });
  afterAll(async () => telegram?.close());

  test.each(['http', 'socks5'] as const)('%s: the bot hears and answers through it', async (scheme) => {
    const proxy = proxies[scheme]();
    const host = new URL(telegram.url).host;
    await hub.set({ TelegramProxy: addressOf(scheme), TelegramBotToken: telegram.token, TelegramBotEnabled: 'true' });
    await soon(() => expect(proxy.requested.some((to) => to.includes(host))).toBe(true));
    const browser = await hub.signedIn((await addAccount(hub())).username);
    const { code } = await browser.call(oauthApi.telegramCode);
    const id = ++last;
    await telegram.write({ id, first_name: 'Me', language_code: 'en' }, `/start ${code}`);
    await soon(() =>
      expect(telegram.sent.at(-1)).toMatchObject({ chat_id: id, text: expect.stringMatching(/^Connected/) }),
    );
    expect(await browser.call(userApi.self)).toMatchObject({ telegram_id: id });
  });

  test('where it does not connect, nothing goes around it; without one the bot goes straight there', async () => {
    await hub.set({ TelegramProxy: 'http://127.0.0.1:1', TelegramBotToken: telegram.token });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    telegram.requests.length = 0;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(telegram.requests).toEqual([]);
    const asked = Object.values(proxies).map((proxy) => proxy().requested.length);
    await hub.set({ TelegramProxy: '', TelegramBotToken: telegram.token });
    await soon(() => expect(telegram.requests.length).toBeGreaterThan(0));
    expect(Object.values(proxies).map((proxy) => proxy().requested.length)).toEqual(asked);
  });
});
