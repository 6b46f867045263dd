import type { Language } from '@relay-hub/contract';
import * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { errorText, languageOf } from '#i18n/language.ts';
import { bind } from '#features/account/identity/bind.ts';
import { spendBindingCode } from './binding-code.ts';
import { type Bot, callTelegram, TelegramError } from './telegram-api.ts';
import { botTexts } from './telegram-texts.ts';

/** Wrong codes per Telegram account before a pause. */
const CODE_TRIES = 10;
const CODE_WINDOW_S = 1200;

const sender = z.object({
  id: z.int().check(z.gte(1)),
  username: z.optional(z.string()),
  first_name: z.optional(z.string()),
  language_code: z.optional(z.string()),
});
const update = z.object({
  update_id: z.int(),
  message: z.optional(
    z.object({
      chat: z.object({ id: z.int(), type: z.string() }),
      from: z.optional(sender),
      text: z.optional(z.string()),
    }),
  ),
});
/** The reply of `getUpdates`. */
export const updates = z.array(z.looseObject({ update_id: z.int() }));

type Sender = z.infer<typeof sender>;
type BotDeps = Pick<Deps, 'db' | 'config' | 'live' | 'upstreams' | 'limiter' | 'log' | 'now'>;

/** Replies to a message sent to the bot; updates of other kinds are ignored. */
export async function answerUpdate(deps: BotDeps, bot: Bot, json: unknown): Promise<void> {
  const parsed = update.safeParse(json);
  const message = parsed.success ? parsed.data.message : undefined;
  // A code posted in a group is visible to all members.
  if (!message?.from || message.chat.type !== 'private') return;
  const [command = '', argument = ''] = (message.text ?? '').trim().split(/\s+/);
  const text = await answerTo(command.replace(/@.*$/, ''), argument, message.from, deps);
  if (text === undefined) return;
  try {
    await callTelegram(deps, bot, {
      method: 'sendMessage',
      input: { chat_id: message.chat.id, text },
      result: z.looseObject({}),
    });
  } catch (error) {
    if (!(error instanceof TelegramError)) throw error;
    deps.log.warn({ reason: error.message }, 'Telegram reply failed');
  }
}

async function answerTo(command: string, code: string, from: Sender, deps: BotDeps): Promise<string | undefined> {
  const language = languageOf(from.language_code?.replace('_', '-'));
  const texts = botTexts[language];
  switch (command) {
    case '/start':
    case '/bind':
      return code === '' ? texts.how : bindSender(code, from, deps, language);
    case '/unbind': {
      const gone = await deps.db
        .deleteFrom('identities')
        .where('provider', '=', 'telegram')
        .where('subject', '=', String(from.id))
        .returning('id')
        .executeTakeFirst();
      return gone ? texts.unbound : texts.notBound;
    }
    default:
      return undefined;
  }
}

async function bindSender(
  code: string,
  from: Sender,
  { db, limiter, now }: BotDeps,
  language: Language,
): Promise<string> {
  const texts = botTexts[language];
  const tries = `telegram:${from.id}`;
  if ((await limiter.hit(tries, CODE_TRIES, CODE_WINDOW_S)) > 0) return texts.tooMany;
  const userId = await spendBindingCode({ db, now }, code);
  if (userId === undefined) return texts.wrong;
  await limiter.takeBack(tries);
  const name = from.username ? `@${from.username}` : (from.first_name ?? String(from.id));
  const nothing = { issuer: '', username: '', displayName: '', email: '', avatarUrl: '' };
  try {
    await bind(db, userId, { ...nothing, provider: 'telegram', subject: String(from.id), name }, now());
  } catch (error) {
    if (error instanceof AppError) return errorText(error, language);
    throw error;
  }
  const user = await db.selectFrom('users').where('id', '=', userId).select('username').executeTakeFirstOrThrow();
  return texts.bound.replace('{name}', user.username);
}
