import { botCommands, type Language, languageCodes } from '@relay-hub/contract';
import * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { botMenu } from './bot-menu-queries.ts';
import { type Bot, callTelegram } from './telegram-api.ts';
import { serverTexts } from '#i18n/texts.ts';

type MenuDeps = Pick<Deps, 'db' | 'config' | 'live' | 'upstreams'>;

const shownCommand = z.object({ command: z.string(), description: z.string() });
const shownCommands = z.array(shownCommand);
type ShownCommand = z.infer<typeof shownCommand>;

/** Telegram's language codes and our texts; the empty one is for everybody else. */
const languages = new Map<string, Language>([
  ['', 'en_US'],
  // Of two with one code the former counts, which is the last one here.
  ...languageCodes
    .filter((code) => code !== 'en_US')
    .toReversed()
    .map((code): [string, Language] => [code.replace(/_.*/, ''), code]),
]);
/** Keys, balances and codes are for private chats only. */
const scope = { type: 'all_private_chats' };

/** The commands as Telegram should show them: the bot's own, then the operator's. */
async function commandsFor({ db }: MenuDeps, language: Language): Promise<ShownCommand[]> {
  const { menu } = serverTexts(language).bot;
  const own = botCommands.map((command) => ({ command, description: menu[command] }));
  const added = (await botMenu(db)).map(({ command, description }) => ({ command, description }));
  return [...own, ...added];
}

/** Sends the menu of commands to Telegram, in every language. Rejects with `TelegramError`. */
export async function publishCommands(deps: MenuDeps, bot: Bot): Promise<void> {
  for (const [code, language] of languages) {
    const input = { commands: await commandsFor(deps, language), scope, language_code: code };
    await callTelegram(deps, bot, { method: 'setMyCommands', input, result: z.literal(true) });
  }
}

/** Whether Telegram shows other commands than those here. */
export async function isMenuOutdated(deps: MenuDeps, bot: Bot): Promise<boolean> {
  const input = { scope, language_code: '' };
  const shown = await callTelegram(deps, bot, { method: 'getMyCommands', input, result: shownCommands });
  const text = (commands: readonly ShownCommand[]) =>
    JSON.stringify(commands.map(({ command, description }) => [command, description]));
  return text(shown) !== text(await commandsFor(deps, 'en_US'));
}
