import { virtualModelApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import * as models from './virtual-model-queries.ts';

export function virtualModelRoutes(app: FastifyInstance, { db, live, now, ...deps }: Deps): void {
  const all = { db, live, now, ...deps };
  const by = ({ id, username }: { id: number; username: string }) => ({ id, username, now: now() });

  serve(app, all, virtualModelApi.list, ({ query }) => models.listVirtualModels(db, query));
  serve(app, all, virtualModelApi.get, ({ params }) => models.getVirtualModel(db, params.id));
  serve(app, all, virtualModelApi.versions, ({ params }) => models.versionsOf(db, params.id));
  serve(app, all, virtualModelApi.create, ({ body }, { viewer }) =>
    live.inForce('virtual_models', models.createVirtualModel(db, body, by(viewer))),
  );
  serve(app, all, virtualModelApi.update, ({ body }, { viewer }) =>
    live.inForce('virtual_models', models.updateVirtualModel(db, body, by(viewer))),
  );
  serve(app, all, virtualModelApi.remove, ({ params }) =>
    live.inForce('virtual_models', models.removeVirtualModel(db, params.id)),
  );
}
