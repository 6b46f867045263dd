import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalSite, startSite } from './local-site.ts';

export interface TelegramUser {
  id: number;
  username?: string;
  first_name: string;
  language_code?: string;
}

export interface SentMessage {
  chat_id: number;
  text: string;
  parse_mode?: string;
  reply_markup?: {
    inline_keyboard?: { text: string; callback_data?: string; url?: string }[][];
    force_reply?: boolean;
  };
}

export interface LocalTelegram extends LocalSite {
  token: string;
  bot: string;
  /** The bot's messages by chat. */
  sent: SentMessage[];
  /** Commands by language; the empty one is for everybody else. */
  commands: Map<string, { command: string; description: string }[]>;
  /** Requests to refuse with 429 and a pause of a second. */
  busy: number;
  webhook: { url: string; secret_token?: string } | undefined;
  /** Sends a message to the bot: delivered to the webhook, or queued for polling. */
  write(from: TelegramUser, text: string, chat?: 'private' | 'group', replyTo?: string): Promise<number | undefined>;
  /** Presses a button below a message of the bot. */
  press(from: TelegramUser, data: string): Promise<number | undefined>;
}

const languageIn = ({ language_code: code }: Record<string, unknown>): string => (typeof code === 'string' ? code : '');

type LocalUpdate = { update_id: number; message?: object; callback_query?: object };

/** The part of the bot API for receiving and sending messages. */
export async function startTelegram(): Promise<LocalTelegram> {
  const waiting: LocalUpdate[] = [];
  let last = 500;
  const ok = (result: unknown) => ({ body: { ok: true, result } });
  const site = await startSite(async ({ path, body }) => {
    const [, bot, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    if (bot !== telegram.token)
      return { status: 401, body: { ok: false, error_code: 401, description: 'Unauthorized' } };
    if (method !== 'getUpdates' && telegram.busy > 0) {
      telegram.busy--;
      return {
        status: 429,
        body: { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } },
      };
    }
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
      case 'getWebhookInfo':
        return ok({ url: telegram.webhook?.url ?? '', pending_update_count: waiting.length });
      case 'setMyCommands':
        telegram.commands.set(languageIn(body), body['commands'] as never); // the bot sends a list
        return ok(true);
      case 'getMyCommands':
        return ok(telegram.commands.get(languageIn(body)) ?? []);
      case 'answerCallbackQuery':
        return ok(true);
      case 'sendMessage':
      case 'editMessageText': {
        const message = body as unknown as SentMessage; // the bot's request
        // An unescaped character of the format.
        if (message.parse_mode === 'MarkdownV2' && /(?<!\\)[.!]/.test(message.text))
          return {
            status: 400,
            body: { ok: false, error_code: 400, description: "Bad Request: can't parse entities" },
          };
        telegram.sent.push(message);
        return ok({ message_id: ++last });
      }
      default:
        return { status: 404, body: { ok: false, error_code: 404, description: 'Not Found' } };
    }
  });
  const telegram: LocalTelegram = Object.assign(site, {
    token: '123456:local-token',
    bot: 'relay_hub_bot',
    sent: [],
    commands: new Map(),
    busy: 0,
    webhook: undefined,
    write(from: TelegramUser, text: string, type: 'private' | 'group' = 'private', replyTo?: string) {
      const chat = { id: type === 'private' ? from.id : -77, type };
      const replied = { message_id: 1, chat, from: { id: 1, is_bot: true, first_name: 'bot' }, text: replyTo };
      const reply = replyTo === undefined ? {} : { reply_to_message: replied };
      const sender = { is_bot: false, ...from };
      return deliver({ update_id: ++last, message: { message_id: ++last, from: sender, chat, text, ...reply } });
    },
    press(from: TelegramUser, data: string) {
      const message = { message_id: 1, chat: { id: from.id, type: 'private' }, text: 'x' };
      const query = { id: String(++last), from: { is_bot: false, ...from }, data, message, chat_instance: '1' };
      return deliver({ update_id: ++last, callback_query: query });
    },
  });
  async function deliver(update: LocalUpdate): Promise<number | undefined> {
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
  }
  return telegram;
}
