import { oauthApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { ensureProved } from '#http/session/recent-proof.ts';
import { serve } from '#http/serve.ts';
import { isSameSecret } from '#secrets.ts';
import { answerUpdate } from './answer-update.ts';
import { makeBindingCode } from './binding-code.ts';
import { botOf, webhookPath } from './telegram-api.ts';

/** Routes for the bot's webhook and for connection codes. */
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
    // Guesses get the same reply as any unknown route.
    ensure(isOurs, 'route.unknown', { method: request.method, path: request.url.split('?')[0] });
    await answerUpdate(deps, bot, request.body);
    return reply.type('text/plain').send('ok');
  });
}
