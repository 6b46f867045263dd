import { cockpitApi, isAdmin, type CockpitEvent } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serveEvents } from '#http/serve-events.ts';
import { findViewer } from '#http/session/viewer.ts';

/** A session that ended, or a role that was taken away, ends the stream within this time. */
const CHECK_MS = 5_000;

/** The live state of the hub, for as long as the caller is a signed-in administrator. */
export function cockpitRoutes(app: FastifyInstance, deps: Deps): void {
  serveEvents(app, deps, cockpitApi.live, async (_, __, request) => (tell, signal) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const stop = deps.hourWatch.watch((data) => tell({ type: 'cockpit', data } satisfies CockpitEvent));
    const check = async (): Promise<void> => {
      const viewer = await findViewer(request, deps);
      if (!viewer || !isAdmin(viewer.role)) end();
    };
    // Without the database nothing is proven; the next check decides.
    const timer = setInterval(() => void check().catch(() => {}), CHECK_MS).unref();
    signal.addEventListener('abort', () => end(), { once: true });
    if (signal.aborted) end();
    return ended.finally(() => {
      clearInterval(timer);
      stop();
    });
  });
}
