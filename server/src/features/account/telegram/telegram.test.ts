import {
  botApi,
  botCommands,
  type BotMenuEntry,
  oauthApi,
  redemptionApi,
  registerApi,
  tokenApi,
  userApi,
} from '@relay-hub/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Browser } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { type LocalTelegram, startTelegram, type TelegramUser } from '#testing/elsewhere/local-telegram.ts';
import { openHubForSuite } from '#testing/elsewhere/ways-in.ts';
import { addAccount } from '#testing/people.ts';
import { until } from '#testing/until.ts';

const modes = [
  { mode: 'asking for messages', secret: '' },
  { mode: 'with a webhook', secret: 'a-secret-for-the-webhook' },
];

onEveryDatabase('the Telegram bot', (make) => {
  describe.each(modes)('$mode', ({ secret }) => {
    const hub = openHubForSuite(make);
    let telegram: LocalTelegram;
    let last = 7000;
    let me: TelegramUser;
    let browser: Browser;

    beforeAll(async () => {
      telegram = await startTelegram();
      await hub.set({
        TelegramApiAddress: telegram.url,
        TelegramBotToken: telegram.token,
        TelegramBotName: telegram.bot,
        TelegramWebhookSecret: secret,
        ServerAddress: hub().url,
        TelegramBotEnabled: 'true',
      });
      const wanted = secret === '' ? 'getUpdates' : 'setWebhook';
      await until(`the bot asks ${wanted}`, () => telegram.requests.some((path) => path.endsWith(wanted)));
    });
    beforeEach(async () => {
      me = { id: ++last, username: `user${last}`, first_name: 'Me', language_code: 'en' };
      browser = await hub.signedIn((await addAccount(hub())).username);
      telegram.sent.length = 0;
    });
    afterAll(async () => telegram?.close());

    /** The bot's replies. */
    const write = async (text: string, from = me): Promise<string> => {
      const before = telegram.sent.length;
      await telegram.write(from, text);
      await until('the bot writes', () => telegram.sent.length > before);
      return telegram.sent.at(-1)!.text;
    };

    test('the code of the profile connects the Telegram account that sends it to the bot, once', async () => {
      const { code, bot, expires_time } = await browser.call(oauthApi.telegramCode);
      expect({ bot, length: code.length }).toEqual({ bot: telegram.bot, length: 10 });
      expect(expires_time - hub().server.deps.now()).toBeGreaterThan(170);
      expect(await write(`/start ${code}`)).toMatch(/^Connected to the account /);
      expect(await browser.call(userApi.self)).toMatchObject({ telegram_id: me.id });
      expect(await browser.call(oauthApi.identities)).toMatchObject([
        { provider: 'telegram', name: `@${me.username}`, last_way_in: false },
      ]);
      expect(await write(`/bind ${code}`, { ...me, id: ++last })).toContain('has expired');
      expect(await write('/unbind')).toBe('Disconnected.');
      expect(await browser.call(userApi.self)).toMatchObject({ telegram_id: 0 });
    });

    test('a wrong, replaced or expired code binds nothing; many are not tried', async () => {
      const first = await browser.call(oauthApi.telegramCode);
      const second = await browser.call(oauthApi.telegramCode);
      expect(await write(`/bind ${first.code}`)).toContain('has expired');
      await hub().server.deps.db.updateTable('oauth_states').set({ expires_time: 1 }).execute();
      expect(await write(`/bind ${second.code}`)).toContain('has expired');
      for (let tries = 0; tries < 8; tries++) await write(`/bind wrong${tries}`);
      const right = await browser.call(oauthApi.telegramCode);
      expect(await write(`/bind ${right.code}`)).toContain('Too many');
      expect(await browser.call(oauthApi.identities)).toEqual([]);
    });

    test('a Telegram account of another user is not taken over', async () => {
      await write(`/bind ${(await browser.call(oauthApi.telegramCode)).code}`);
      const other = await hub.signedIn((await addAccount(hub())).username);
      expect(await write(`/bind ${(await other.call(oauthApi.telegramCode)).code}`)).toContain('another user');
      expect(await other.call(oauthApi.identities)).toEqual([]);
    });

    test('it says how, and in a group nothing', async () => {
      expect(await write('/bind')).toContain('Connect Telegram');
      expect(await write('/start', { ...me, language_code: 'zh-hans' })).toContain('个人设置');
      const { code } = await browser.call(oauthApi.telegramCode);
      await telegram.write(me, `/bind ${code}`, 'group');
      expect(await write('/unbind')).toBe('No account is connected.');
      expect(await browser.call(oauthApi.identities)).toEqual([]);
    });

    test('switched off, it gives out no codes, and hears nothing', async () => {
      await hub.set({ TelegramBotEnabled: 'false' });
      const { status, body } = await browser.try(oauthApi.telegramCode);
      expect({ status, body }).toMatchObject({ status: 409, body: { code: 'oauth.off' } });
      if (telegram.webhook) expect(await telegram.write(me, '/bind')).toBe(404);
      await hub.set({ TelegramBotEnabled: 'true' });
      expect(await write('/bind')).toContain('Connect Telegram');
    });

    test('only Telegram can deliver messages', async () => {
      const { code } = await browser.call(oauthApi.telegramCode);
      const update = {
        update_id: 1,
        message: { from: me, chat: { id: me.id, type: 'private' }, text: `/bind ${code}` },
      };
      const path = telegram.webhook ? new URL(telegram.webhook.url).pathname : `/api/telegram/${telegram.token}`;
      const deliver = (to: string, headers: Record<string, string> = {}) =>
        fetch(hub().url + to, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(update),
        });
      const proof = { 'x-telegram-bot-api-secret-token': secret };
      expect((await deliver(path)).status).toBe(404);
      expect((await deliver(path, { 'x-telegram-bot-api-secret-token': 'guessed' })).status).toBe(404);
      expect((await deliver('/api/telegram/elsewhere', proof)).status).toBe(404);
      expect(path).not.toContain(secret === '' ? 'never' : telegram.token);
      expect(await browser.call(oauthApi.identities)).toEqual([]);
    });

    test('shows balance and tokens, redeems codes and invites, for connected accounts only', async () => {
      for (const command of ['/balance', '/apikey', '/aff', '/recharge'])
        expect(await write(command)).toContain('No account is connected.');
      const { code } = await browser.call(oauthApi.telegramCode);
      await write(`/bind ${code}`);
      const { username } = await browser.call(userApi.self);
      expect(await write('/balance')).toBe(`Account: ${username}\nGroup: default\nBalance: $0.00\nUsed: $0.00`);

      expect(await write('/recharge')).toBe('Reply to this message with the code.');
      expect(telegram.sent.at(-1)!.reply_markup).toEqual({ force_reply: true });
      const [credit = '', second = ''] = await hub().root.call(redemptionApi.create, {
        body: { name: 'bot', quota: 500_000, count: 2 },
      });
      const before = telegram.sent.length;
      await telegram.write(me, credit, 'private', 'Reply to this message with the code.');
      await until('the bot writes', () => telegram.sent.length > before);
      expect(telegram.sent.at(-1)!.text).toBe('Redeemed. $1.00 were added to your balance.');
      expect(await write(`/recharge ${second}`)).toContain('$1.00');
      expect(await write(`/recharge ${credit}`)).toContain('already redeemed');
      expect((await browser.call(userApi.self)).quota).toBe(1_000_000);

      expect(await write('/apikey')).toContain('no tokens');
      for (let n = 1; n <= 6; n++) await browser.call(tokenApi.create, { body: { name: `key-${n}` } });
      const first = await write('/apikey');
      expect(first).toMatch(/^Your tokens \(6\):\n• key-6: •+\S{4}\n/);
      expect(first).toContain('Page 1 of 2');
      const buttons = telegram.sent.at(-1)!.reply_markup!.inline_keyboard!.flat();
      expect(buttons).toEqual([
        { text: '→', callback_data: 'keys:2' },
        { text: 'Manage tokens on the site', url: `${hub().url}/panel/token` },
      ]);
      const shown = telegram.sent.length;
      await telegram.press(me, 'keys:2');
      await until('the bot writes', () => telegram.sent.length > shown);
      expect(telegram.sent.at(-1)!.text).toContain('• key-1: •');

      const invite = await write('/aff');
      const { aff_code } = await browser.call(registerApi.invitations);
      expect(invite).toBe(`Invitation code: ${aff_code}\nInvitation link: ${hub().url}/register?aff=${aff_code}`);
      await hub().server.deps.db.updateTable('users').set({ status: 2 }).where('username', '=', username).execute();
      expect(await write('/balance')).toBe('This account is disabled.');
    });

    test('answers the operator’s commands, whose menu is sent to Telegram', async () => {
      const save = (body: object) =>
        hub().root.try(botApi.save, {
          body: { command: 'support', description: 'How to reach us', reply_message: 'Write to us', ...body },
        });
      expect(await save({ command: 'balance' })).toMatchObject({ status: 400, body: { field: 'command' } });
      expect(await save({ command: 'Not one' })).toMatchObject({ status: 400, body: { field: 'command' } });
      const made = await save({ command: '/support', reply_message: '*Help* is near\\.' });
      const entry = (made.body as { data: BotMenuEntry }).data;
      expect(entry).toMatchObject({ command: 'support', parse_mode: 'MarkdownV2' });
      expect(await save({})).toMatchObject({ status: 409, body: { code: 'record.exists', field: 'command' } });

      expect(await write('/support')).toBe('*Help* is near\\.');
      expect(telegram.sent.at(-1)).toMatchObject({ parse_mode: 'MarkdownV2' });
      // A mistake in the format is sent as plain text.
      await save({ id: entry.id, reply_message: 'Write to a.b' });
      expect(await write('/support@relay_hub_bot')).toBe('Write to a.b');
      expect(telegram.sent.at(-1)!.parse_mode).toBeUndefined();

      expect(await hub().root.call(botApi.status)).toMatchObject({
        status: true,
        is_webhook: secret !== '',
        name: telegram.bot,
        outdated: true,
      });
      telegram.busy = 1;
      await hub().root.call(botApi.reload);
      expect(telegram.commands.get('')!.map(({ command }) => command)).toEqual([...botCommands, 'support']);
      expect(telegram.commands.get('zh')!.at(2)).toEqual({ command: 'balance', description: '查看余额' });
      expect(await hub().root.call(botApi.status)).toMatchObject({ outdated: false });
      await hub().root.call(botApi.remove, { params: { id: entry.id } });
      expect((await hub().root.call(botApi.list, { query: { keyword: 'supp' } })).data).toEqual([]);
    });

    test('ignores floods, with one warning', async () => {
      for (let n = 0; n < 20; n++) await write('/bind');
      expect(await write('/bind')).toBe('Too many attempts. Try again later.');
      const before = telegram.sent.length;
      await telegram.write(me, '/bind');
      await write('/bind', { ...me, id: ++last });
      expect(telegram.sent.length).toBe(before + 1);
    });
  });
});
