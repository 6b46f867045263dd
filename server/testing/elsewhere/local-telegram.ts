import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalSite, startSite } from './local-site.ts';

export interface TelegramUser {
  id: number;
  username?: string;
  first_name: string;
  language_code?: string;
}

export interface LocalTelegram extends LocalSite {
  token: string;
  bot: string;
  /** The bot's messages by chat. */
  sent: { chat_id: number; text: string }[];
  webhook: { url: string; secret_token?: string } | undefined;
  /** Sends a message to the bot: delivered to the webhook, or queued for polling. */
  write(from: TelegramUser, text: string, chat?: 'private' | 'group'): Promise<number | undefined>;
}

/** The part of the bot API for receiving and sending messages. */
export async function startTelegram(): Promise<LocalTelegram> {
  const waiting: { update_id: number; message: object }[] = [];
  let last = 500;
  const ok = (result: unknown) => ({ body: { ok: true, result } });
  const site = await startSite(async ({ path, body }) => {
    const [, bot, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    if (bot !== telegram.token)
      return { status: 401, body: { ok: false, error_code: 401, description: 'Unauthorized' } };
    switch (method) {
      case 'getMe':
        return ok({ id: 1, is_bot: true, username: telegram.bot });
      case 'setWebhook':
        telegram.webhook = body as { url: string }; // the bot sets an address
        return ok(true);
      case 'deleteWebhook':
        telegram.webhook = undefined;
        return ok(true);
      case 'getUpdates': {
        if (telegram.webhook) return { status: 409, body: { ok: false, error_code: 409, description: 'Conflict' } };
        const offset = Number(body['offset'] ?? 0);
        while (waiting[0] && waiting[0].update_id < offset) waiting.shift();
        // Long polling.
        if (waiting.length === 0) await sleep(100);
        return ok(waiting);
      }
      case 'sendMessage':
        telegram.sent.push({ chat_id: Number(body['chat_id']), text: String(body['text']) });
        return ok({ message_id: ++last });
      default:
        return { status: 404, body: { ok: false, error_code: 404, description: 'Not Found' } };
    }
  });
  const telegram: LocalTelegram = Object.assign(site, {
    token: '123456:local-token',
    bot: 'relay_hub_bot',
    sent: [],
    webhook: undefined,
    async write(from: TelegramUser, text: string, type: 'private' | 'group' = 'private') {
      const message = { message_id: ++last, from, chat: { id: type === 'private' ? from.id : -77, type }, text };
      const update = { update_id: ++last, message };
      if (!telegram.webhook) {
        waiting.push(update);
        return undefined;
      }
      const { url, secret_token: secret } = telegram.webhook;
      const { status } = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(secret && { 'x-telegram-bot-api-secret-token': secret }) },
        body: JSON.stringify(update),
      });
      return status;
    },
  });
  return telegram;
}
