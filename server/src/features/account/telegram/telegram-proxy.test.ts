import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { oauthApi, userApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { type LocalTelegram, startTelegram } from '#testing/elsewhere/local-telegram.ts';
import { openHubForSuite } from '#testing/elsewhere/ways-in.ts';
import { addAccount } from '#testing/people.ts';
import { until } from '#testing/until.ts';
import { httpProxyForSuite, socksProxyForSuite } from '#testing/network/proxies.ts';

/** A proxy that accepts connections and closes them at once. */
async function startDead(): Promise<{ url: string; tried(): boolean; close(): void }> {
  let tried = 0;
  const server = createServer((socket) => {
    tried++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP port
  return { url: `http://127.0.0.1:${port}`, tried: () => tried > 0, close: () => void server.close() };
}

onEveryDatabase('the proxy for Telegram', (make) => {
  const hub = openHubForSuite(make);
  const proxies = { http: httpProxyForSuite(), socks5: socksProxyForSuite() };
  let telegram: LocalTelegram;
  let last = 100;
  const addressOf = (scheme: keyof typeof proxies) => `${scheme}://127.0.0.1:${proxies[scheme]().port}`;

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
    await until('the bot connects through the proxy', () => proxy.requested.some((to) => to.includes(host)));
    const browser = await hub.signedIn((await addAccount(hub())).username);
    const { code } = await browser.call(oauthApi.telegramCode);
    const id = ++last;
    await telegram.write({ id, first_name: 'Me', language_code: 'en' }, `/start ${code}`);
    await expect
      .poll(() => telegram.sent.at(-1), { message: 'the last message of the bot' })
      .toMatchObject({ chat_id: id, text: expect.stringMatching(/^Connected/) });
    expect(await browser.call(userApi.self)).toMatchObject({ telegram_id: id });
  });

  test('where it does not connect, nothing goes around it; without one the bot goes straight there', async () => {
    const dead = [await startDead(), await startDead()];
    await hub.set({ TelegramProxy: dead[0]!.url, TelegramBotToken: telegram.token });
    await until('the bot tries the dead proxy', () => dead[0]!.tried());
    telegram.requests.length = 0;
    // A change makes it try again at once, after it has finished with the first.
    await hub.set({ TelegramProxy: dead[1]!.url, TelegramBotToken: telegram.token });
    await until('the bot tries the other dead proxy', () => dead[1]!.tried());
    expect(telegram.requests).toEqual([]);
    for (const proxy of dead) proxy.close();
    const asked = Object.values(proxies).map((proxy) => proxy().requested.length);
    await hub.set({ TelegramProxy: '', TelegramBotToken: telegram.token });
    await until('the bot goes straight there', () => telegram.requests.length > 0);
    expect(Object.values(proxies).map((proxy) => proxy().requested.length)).toEqual(asked);
  });
});
