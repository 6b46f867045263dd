import { blockApi } from '@relay-hub/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { clientIp } from '#http/client-ip.ts';
import { serve } from '#http/serve.ts';
import * as blocks from './block-queries.ts';

export function blockRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now, config } = deps;
  const by = (request: FastifyRequest, username: string) => ({
    username,
    ip: clientIp(request.raw, config.trustedProxies),
    now: now(),
  });

  serve(app, deps, blockApi.list, ({ query }) => blocks.listBlocks(db, query));
  serve(app, deps, blockApi.get, ({ params }) => blocks.getBlock(db, params.id));
  serve(app, deps, blockApi.create, ({ body }, { request, viewer }) =>
    live.inForce('blocks', blocks.createBlock(db, body, by(request, viewer.username))),
  );
  serve(app, deps, blockApi.update, ({ body }, { request, viewer }) =>
    live.inForce('blocks', blocks.updateBlock(db, body, by(request, viewer.username))),
  );
  serve(app, deps, blockApi.remove, ({ params }) => live.inForce('blocks', blocks.removeBlock(db, params.id)));
}
