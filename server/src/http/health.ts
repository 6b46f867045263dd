import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';

/** `/healthz`: the process answers. `/readyz`: it can serve, which takes a database that answers and no stop under way. */
export function healthRoutes(app: FastifyInstance, { db, log, lifecycle }: Deps): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_, reply) => {
    if (lifecycle.stopping) return reply.status(503).send({ status: 'stopping' });
    try {
      await db.selectFrom('options').select('key').limit(1).execute();
      return { status: 'ready' };
    } catch (error) {
      log.error({ err: error }, 'database does not answer');
      return reply.status(503).send({ status: 'database does not answer' });
    }
  });
}
