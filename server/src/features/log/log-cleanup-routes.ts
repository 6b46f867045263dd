import { logArchiveApi, logCleanupApi } from '@relay-hub/contract';
import { createReadStream, existsSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { serve, serveFile } from '#http/serve.ts';
import { archiveFolder, archivePath, listArchives } from './archive/archive-parts.ts';
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

  serve(app, deps, logArchiveApi.list, async () => ({
    archives: await listArchives(deps),
    folder: archiveFolder(deps),
  }));
  serveFile(app, deps, logArchiveApi.download, async ({ params: { id } }) => {
    const part = await deps.db
      .selectFrom('log_archives')
      .where('id', '=', id)
      .where('state', '=', 'done')
      .select(['file', 'host'])
      .executeTakeFirst();
    ensure(part, 'record.not_found', { field: 'id' });
    const path = archivePath(deps, part);
    ensure(existsSync(path), 'log.archive_elsewhere', { host: part.host });
    return { name: part.file, pieces: createReadStream(path) };
  });
}
