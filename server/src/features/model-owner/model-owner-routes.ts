import { modelOwnerApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import * as owners from './model-owner-queries.ts';

export function modelOwnerRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live } = deps;
  // Owners are cached together with the prices.
  const inForce = <T>(work: Promise<T>): Promise<T> => live.inForce('prices', work);

  serve(app, deps, modelOwnerApi.get, ({ params }) => owners.getModelOwner(db, params.id));
  serve(app, deps, modelOwnerApi.create, ({ body }) => inForce(owners.createModelOwner(db, body)));
  serve(app, deps, modelOwnerApi.update, ({ body }) => inForce(owners.updateModelOwner(db, body)));
  serve(app, deps, modelOwnerApi.remove, ({ params }) => inForce(owners.removeModelOwner(db, params.id)));
}
