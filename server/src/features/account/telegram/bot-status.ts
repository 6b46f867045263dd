import type { BotStatus } from '@relay-hub/contract';
import * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { isMenuOutdated } from './bot-commands.ts';
import { type Bot, botOf, callTelegram, TelegramError, webhookPath } from './telegram-api.ts';

type StatusDeps = Pick<Deps, 'db' | 'config' | 'live' | 'upstreams'>;

const me = z.looseObject({ username: z.optional(z.string()) });
const webhookInfo = z.looseObject({
  url: z._default(z.string(), ''),
  pending_update_count: z._default(z.int(), 0),
  last_error_date: z.optional(z.int()),
  last_error_message: z.optional(z.string()),
});
/** An error older than this does not make the bot count as offline. */
const RECENT_S = 600;

/** Asks Telegram for the state of the bot, so that every node gives the same answer. Never rejects for Telegram. */
export async function botStatus(deps: StatusDeps & Pick<Deps, 'now'>): Promise<BotStatus> {
  const bot = botOf(deps.live);
  const is_webhook = bot !== undefined && bot.webhookSecret !== '';
  const status = { status: false, is_webhook, enabled: bot !== undefined, name: '', problem: '' };
  if (!bot) return { ...status, waiting: 0, outdated: false };
  try {
    const { username: name = '' } = await callTelegram(deps, bot, { method: 'getMe', input: {}, result: me });
    const info = await callTelegram(deps, bot, { method: 'getWebhookInfo', input: {}, result: webhookInfo });
    const problem = problemOf(deps, bot, info);
    const outdated = await isMenuOutdated(deps, bot);
    return { ...status, name, problem, status: problem === '', waiting: info.pending_update_count, outdated };
  } catch (error) {
    if (!(error instanceof TelegramError)) throw error;
    return { ...status, problem: error.message, waiting: 0, outdated: false };
  }
}

function problemOf(
  { live, now }: Pick<StatusDeps & Pick<Deps, 'now'>, 'live' | 'now'>,
  bot: Bot,
  { url, last_error_date = 0, last_error_message = '' }: z.infer<typeof webhookInfo>,
): string {
  if (bot.webhookSecret === '') return url === '' ? '' : 'another program has set a webhook';
  if (url !== live.settings.ServerAddress + webhookPath(bot)) return 'the webhook is not set yet';
  return last_error_date > now() - RECENT_S ? last_error_message : '';
}
