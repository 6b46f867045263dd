import { oauthApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { ensureProved } from '#http/session/recent-proof.ts';
import { serve } from '#http/serve.ts';
import { fingerprint, isSameSecret } from '#secrets.ts';
import { answerUpdate } from './answer-update.ts';
import { makeBindingCode } from './binding-code.ts';
import { type Bot, botOf } from './telegram-api.ts';

/** Where Telegram delivers messages. What is in the path ends up in the logs of proxies: it is not the token itself. */
export const webhookPath = ({ token }: Bot): string => `/api/telegram/${fingerprint(`telegram webhook ${token}`)}`;

/** The bot's messages as they are delivered, and codes to bind with. */
export function telegramRoutes(app: FastifyInstance, deps: Deps): void {
  const { live } = deps;

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
    // Whoever guesses is told what any other address says that is not there.
    ensure(isOurs, 'route.unknown', { method: request.method, path: request.url.split('?')[0] });
    await answerUpdate(deps, bot, request.body);
    return reply.type('text/plain').send('ok');
  });
}
