import { logCleanupApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { cancelCleanup, cleanupProgress, orderCleanup } from './log-cleanup.ts';
import { Cleaner } from './log-cleaner.ts';

export function logCleanupRoutes(app: FastifyInstance, deps: Deps): void {
  const cleaner = new Cleaner(deps);
  app.addHook('onReady', async () => cleaner.wake());
  app.addHook('onClose', () => cleaner.stop());

  serve(app, deps, logCleanupApi.start, async ({ query }, { viewer }) => {
    const total = await orderCleanup(deps, query.target_timestamp, viewer.id);
    cleaner.wake();
    return total;
  });
  serve(app, deps, logCleanupApi.progress, () => cleanupProgress(deps.db));
  serve(app, deps, logCleanupApi.cancel, () => cancelCleanup(deps));
}
