import { botCommands, type BotFormat, languageCodes, type Language } from '@relay-hub/contract';
import { Bot as Dispatcher, type Context, InlineKeyboard } from 'grammy';
import type { Update, UserFromGetMe } from 'grammy/types';
import * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { languageOf } from '#i18n/language.ts';
import { type BoundAccount, boundAccount } from './bound-account.ts';
import { findBotMenuEntry } from './bot-menu-queries.ts';
import { bindSender, unbindSender } from './commands/bind.ts';
import { balanceText, inviteText } from './commands/account-texts.ts';
import { keysPage, type KeysPage } from './commands/keys.ts';
import { redeemFor } from './commands/recharge.ts';
import { type Bot, callTelegram, TelegramError } from './telegram-api.ts';
import { filled } from './telegram-texts.ts';
import { serverTexts } from '#i18n/texts.ts';

export type BotDeps = Pick<Deps, 'db' | 'config' | 'live' | 'upstreams' | 'limiter' | 'log' | 'now'>;

/** Messages per Telegram account and minute; more are not answered. */
const MESSAGES_PER_MINUTE = 20;

interface Flavor {
  language: Language;
}
type Sent = Context & Flavor;

/** Answers updates of one bot. */
export interface TelegramBot {
  /** Never rejects: an update that fails is logged, because Telegram would repeat it. */
  answer(update: Update): Promise<void>;
}

/**
 * The bot's commands. grammY reads and dispatches updates; requests go through the guard for outgoing connections and
 * the configured proxy.
 */
export function telegramBot(deps: BotDeps, settings: Bot): TelegramBot {
  const bot = new Dispatcher<Sent>(settings.token, { botInfo: infoOf(settings) });
  bot.api.config.use(async (_, method, payload, signal) => {
    const call = { method, input: { ...payload }, result: anything, signal: signal as AbortSignal | undefined }; // the same type under another name
    return { ok: true, result: (await callTelegram(deps, settings, call)) as never }; // grammY knows the shape by method
  });
  const own = bot.filter(
    // A code posted in a group is visible to all members.
    (context) => context.chat?.type === 'private' && context.from !== undefined && !context.from.is_bot,
  );
  own.use(async (context, next) => {
    context.language = languageOf(context.from?.language_code?.replace('_', '-'));
    if (!(await isFlood(deps, context))) await next();
  });
  addCommands(own, deps);
  return {
    async answer(update) {
      try {
        await bot.handleUpdate(update);
      } catch (error) {
        const cause = error instanceof Error && 'error' in error ? error.error : error;
        if (cause instanceof TelegramError) deps.log.warn({ reason: cause.message }, 'Telegram reply failed');
        else deps.log.error({ err: cause }, 'an update of the bot failed');
      }
    },
  };
}

const anything = z.unknown();

/** Members that the commands do not use have the values of a bot without further rights. */
const infoOf = ({ name, token }: Bot): UserFromGetMe =>
  ({
    id: Number.parseInt(token, 10) || 0,
    is_bot: true,
    first_name: name,
    username: name,
    can_join_groups: false,
    can_read_all_group_messages: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
  }) as UserFromGetMe; // newer members are optional rights

async function isFlood({ limiter }: BotDeps, context: Sent): Promise<boolean> {
  const id = context.from?.id ?? 0;
  if ((await limiter.hit(`telegram:messages:${id}`, MESSAGES_PER_MINUTE, 60)) === 0) return false;
  // Said once a minute.
  if ((await limiter.hit(`telegram:flood:${id}`, 1, 60)) === 0)
    await context.reply(serverTexts(context.language).bot.tooMany);
  return true;
}

function addCommands(bot: Pick<Dispatcher<Sent>, 'command' | 'callbackQuery' | 'on'>, deps: BotDeps): void {
  const textsOf = ({ language }: Sent) => serverTexts(language).bot;

  const bind = async (context: Sent & { match: string }) => {
    const code = context.match.trim().split(/\s+/)[0] ?? '';
    const text = code === '' ? textsOf(context).how : await bindSender(deps, code, context.from!, context.language); // filtered above
    await context.reply(text);
  };
  bot.command('start', bind);
  bot.command('bind', bind);
  bot.command('unbind', async (context) => {
    const wasBound = await unbindSender(deps.db, context.from!.id); // filtered above
    await context.reply(wasBound ? textsOf(context).unbound : textsOf(context).notBound);
  });
  bot.command('balance', (context) =>
    withAccount(deps, context, async (account) => {
      await context.reply(balanceText(account, deps.live.settings, textsOf(context)));
    }),
  );
  bot.command('aff', (context) =>
    withAccount(deps, context, async (account) => {
      await context.reply(await inviteText(deps, account, textsOf(context)));
    }),
  );
  bot.command('recharge', (context) =>
    withAccount(deps, context, async (account) => {
      const code = context.match.trim();
      if (code !== '') await context.reply(await redeemFor(deps, account, code, context.language));
      else await context.reply(textsOf(context).sendCode, { reply_markup: { force_reply: true } });
    }),
  );
  bot.command('apikey', (context) =>
    withAccount(deps, context, async (account) => {
      const page = await keysPage(deps, account.id, 1, textsOf(context));
      await context.reply(page.text, { reply_markup: keyboardOf(page) });
    }),
  );
  bot.callbackQuery(/^keys:(\d{1,4})$/, async (context) => {
    await context.answerCallbackQuery();
    await withAccount(deps, context, async (account) => {
      const page = await keysPage(deps, account.id, Number(context.match[1]), textsOf(context));
      await context.editMessageText(page.text, { reply_markup: keyboardOf(page) });
    });
  });
  bot.on('callback_query', (context) => context.answerCallbackQuery());
  bot.on('message:text', (context) => answerText(deps, context));
}

const prompts: ReadonlySet<string> = new Set(languageCodes.map((language) => serverTexts(language).bot.sendCode));

/** A redemption code in reply to the question for it, or a command that the operator added. */
async function answerText(deps: BotDeps, context: Sent & { message: { text: string } }): Promise<void> {
  const { message, language } = context;
  const replied = context.message?.reply_to_message;
  if (replied?.from?.is_bot && prompts.has(replied.text ?? '')) {
    await withAccount(deps, context, async (account) => {
      await context.reply(await redeemFor(deps, account, message.text.trim(), language));
    });
    return;
  }
  const [, command] = /^\/([a-zA-Z0-9_]{1,32})(?:@\w+)?(?:\s|$)/.exec(message.text) ?? [];
  if (command === undefined) return;
  const entry = await findBotMenuEntry(deps.db, command.toLowerCase());
  if (entry) return replyFormatted(context, entry.reply_message, entry.parse_mode);
  if (command === 'help') {
    const { help, menu } = serverTexts(language).bot;
    await context.reply([help, ...botCommands.map((name) => `/${name} – ${menu[name]}`)].join('\n'));
  }
}

/** A text whose format has a mistake is sent as plain text, so that its readers are not left without an answer. */
async function replyFormatted(context: Sent, text: string, format: BotFormat): Promise<void> {
  try {
    await context.reply(text, { parse_mode: format === 'html' ? 'HTML' : format });
  } catch (error) {
    if (!(error instanceof TelegramError) || error.status !== 400) throw error;
    await context.reply(text);
  }
}

async function withAccount(
  { db }: BotDeps,
  context: Sent,
  use: (account: BoundAccount) => Promise<void>,
): Promise<void> {
  const account = await boundAccount(db, context.from?.id ?? 0);
  const { notBound, disabled, how } = serverTexts(context.language).bot;
  if (!account) await context.reply(`${notBound}\n${how}`);
  else if (!account.isEnabled) await context.reply(filled(disabled, {}));
  else await use(account);
}

function keyboardOf({ page, pages, link }: KeysPage): InlineKeyboard {
  const keyboard = new InlineKeyboard();
  if (page > 1) keyboard.text('←', `keys:${page - 1}`);
  if (page < pages) keyboard.text('→', `keys:${page + 1}`);
  if (link) keyboard.row().url(link.text, link.url);
  return keyboard;
}
