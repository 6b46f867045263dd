import { botApi, type BotStatus, oauthApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { ensureProved } from '#http/session/recent-proof.ts';
import { serve } from '#http/serve.ts';
import { isSameSecret } from '#secrets.ts';
import { makeBindingCode } from './binding-code.ts';
import { isMenuOutdated, publishCommands } from './bot-commands.ts';
import * as menu from './bot-menu-queries.ts';
import { readUpdate } from './read-update.ts';
import { type Bot, botOf, callTelegram, TelegramError, webhookPath } from './telegram-api.ts';
import { telegramBot } from './telegram-bot.ts';

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
async function botStatus(deps: StatusDeps & Pick<Deps, 'now'>): Promise<BotStatus> {
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

/** Updates that this node answered: Telegram repeats one whose reply it did not get. */
const REMEMBERED = 1000;

/** Routes for the bot's webhook, its menu, and connection codes. */
export function telegramRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live } = deps;
  const answered = new Set<number>();
  const isNew = (id: number): boolean => {
    if (answered.has(id)) return false;
    answered.add(id);
    if (answered.size > REMEMBERED) answered.delete(answered.values().next().value ?? id);
    return true;
  };

  serve(app, deps, botApi.list, ({ query }) => menu.listBotMenu(db, query));
  serve(app, deps, botApi.status, () => botStatus(deps));
  serve(app, deps, botApi.get, ({ params }) => menu.getBotMenuEntry(db, params.id));
  serve(app, deps, botApi.save, ({ body }) => menu.saveBotMenuEntry(db, body));
  serve(app, deps, botApi.remove, ({ params }) => menu.removeBotMenuEntry(db, params.id));
  serve(app, deps, botApi.reload, async () => {
    const bot = botOf(live);
    ensure(bot, 'oauth.off', { provider: 'telegram' });
    try {
      await publishCommands(deps, bot);
    } catch (error) {
      if (!(error instanceof TelegramError)) throw error;
      throw new AppError('telegram.failed', { reason: error.message });
    }
  });

  serve(app, deps, oauthApi.telegramCode, async (_, { viewer, request }) => {
    const bot = botOf(live);
    ensure(bot && bot.name !== '', 'oauth.off', { provider: 'telegram' });
    await ensureProved(request, deps);
    return makeBindingCode(deps, viewer.id, bot.name);
  });

  app.post<{ Params: { token: string } }>('/api/telegram/:token', async (request, reply) => {
    const bot = botOf(live);
    const secret = request.headers['x-telegram-bot-api-secret-token'];
    const isOurs =
      bot &&
      isSameSecret(secret, bot.webhookSecret) &&
      isSameSecret(`/api/telegram/${request.params.token}`, webhookPath(bot));
    // Guesses get the same reply as any unknown route.
    ensure(isOurs, 'route.unknown', { method: request.method, path: request.url.split('?')[0] });
    const update = readUpdate(request.body);
    if (update && isNew(update.update_id)) await telegramBot(deps, bot).answer(update);
    return reply.type('text/plain').send('ok');
  });
}
