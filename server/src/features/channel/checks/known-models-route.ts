import { knownModelsPath, role } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { findViewer } from '#http/session/viewer.ts';

/** Models with a price, in OpenAI's list format without the envelope, as one-hub clients expect. */
export function knownModelsRoute(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;
  app.get(knownModelsPath, async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    const viewer = await findViewer(request, deps);
    ensure(viewer, 'session.none');
    ensure(viewer.role >= role.admin, 'session.role');
    const prices = await db
      .selectFrom('prices')
      .leftJoin('model_owners', 'model_owners.id', 'prices.channel_type')
      .where('valid_to', 'is', null)
      .select(['prices.model', 'model_owners.name as owner', 'prices.channel_type'])
      .orderBy('prices.channel_type')
      .orderBy('prices.model')
      .execute();
    return {
      object: 'list',
      data: prices.map(({ model, owner }) => ({
        id: model,
        object: 'model',
        created: 1_677_649_963,
        owned_by: owner ?? 'unknown',
      })),
    };
  });
}
