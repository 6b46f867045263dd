import { type CheckEvent, channelCheckApi, splitList } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { clientIp } from '#http/client-ip.ts';
import { serveEvents } from '#http/serve-events.ts';
import { serveFile } from '#http/serve.ts';
import { chatWith } from './channel-probe.ts';
import { findRow } from '#features/channel/channel-record.ts';
import { checkPicture, fetchCheckImage } from './check-image.ts';
import { checkModel, noChat } from './check-model.ts';
import { countingOwn } from './own-calls.ts';
import { probedOf } from './run-test.ts';

/** Models of one channel checked concurrently. */
const AT_ONCE = 3;

/** Routes for model checks, streamed as results arrive. */
export function channelCheckRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, upstreams, live, config, now } = deps;

  serveEvents(app, deps, channelCheckApi.check, async ({ body }) => {
    const row = await findRow(db, body.id);
    const channel = countingOwn(deps, row, await probedOf(deps, row));
    const siteUrl = live.settings.ServerAddress.replace(/\/+$/, '');
    return async (emit, signal) => {
      const say = (event: CheckEvent): void => emit(event);
      const waiting = splitList(body.models).values();
      const checkInTurn = async (): Promise<void> => {
        for (const model of waiting) {
          const chat = chatWith(upstreams, channel, model, row.model_mapping);
          const process = chat ? await checkModel({ chat, signal, db, now, siteUrl }) : noChat();
          if (signal.aborted) return;
          say({ type: 'result', data: { model, process } });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, checkInTurn));
      say({ type: 'done', data: 'completed' });
    };
  });

  serveFile(app, deps, channelCheckApi.image, async ({ params }, { request }) => {
    const by = { ip: clientIp(request.raw, config.trustedProxies), userAgent: request.headers['user-agent'] ?? '' };
    ensure(await fetchCheckImage(db, params.id, by, now()), 'record.not_found', { field: 'id' });
    return { name: `${params.id}.png`, pieces: [checkPicture] };
  });
}
