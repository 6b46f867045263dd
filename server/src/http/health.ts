import type { FastifyInstance } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import type { Damage } from '#db/damage.ts';
import { isOutage, Outage } from '#db/outage.ts';

/** After this time a silent database counts as down. */
const PATIENCE_MS = 2_000;

interface HealthDeps extends Pick<BaseDeps, 'config' | 'db' | 'log'> {
  lifecycle: { stopping: boolean };
  storage: { damage: Pick<Damage, 'reason'> };
  book: { isWritable(): boolean };
}

/**
 * `/healthz`: the process responds. `/readyz`: it can serve, which needs a working database, or one that is away for
 * less than the time in which known keys are served; free disk space; and no shutdown in progress.
 */
export function healthRoutes(app: FastifyInstance, { config, db, log, lifecycle, storage, book }: HealthDeps): void {
  const graceMs = config.databaseUrl === undefined ? 0 : config.databaseGrace * 1000;
  let awaySinceMs: number | undefined;
  /** One query for all requests: otherwise each would block a connection of a silent database. */
  let asking: Promise<unknown> | undefined;
  const answers = async (): Promise<void> => {
    asking ??= db
      .selectFrom('options')
      .select('key')
      .limit(1)
      .execute()
      .finally(() => (asking = undefined));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Outage(new Error(`no answer within ${PATIENCE_MS / 1000} seconds`))),
        PATIENCE_MS,
      );
    });
    await Promise.race([asking, late]).finally(() => clearTimeout(timer));
  };

  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_, reply) => {
    if (lifecycle.stopping) return reply.status(503).send({ status: 'stopping' });
    if (storage.damage.reason !== undefined) return reply.status(503).send({ status: 'database is damaged' });
    if (!book.isWritable()) return reply.status(503).send({ status: 'storage is full' });
    try {
      await answers();
      awaySinceMs = undefined;
      return { status: 'ready' };
    } catch (error) {
      log.error({ err: error }, 'database does not answer');
      awaySinceMs ??= performance.now();
      // No other node has the database either: a balancer must not take all of them out.
      const isServed = isOutage(error) && performance.now() - awaySinceMs < graceMs;
      return reply.status(isServed ? 200 : 503).send({ status: 'database does not answer' });
    }
  });
}
