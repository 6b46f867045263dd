import { endpoints } from '../endpoint.ts';
import type { logArchiveSchemas, logCleanupSchemas } from './log-cleanup.ts';
import type { logSchemas } from './log.ts';

export const logCleanupApi = endpoints<typeof logCleanupSchemas>({
  start: 'DELETE /api/log/',
  progress: 'GET /api/log/cleanup',
  cancel: 'POST /api/log/cleanup/cancel',
});

export const logArchiveApi = endpoints<typeof logArchiveSchemas>({
  list: 'GET /api/log/archives',
  download: 'GET /api/log/archives/:id/file',
});

export const logApi = endpoints<typeof logSchemas>({
  list: 'GET /api/log/',
  ownList: 'GET /api/log/self',
  unknownKeys: 'GET /api/log/unknown_keys',
  get: 'GET /api/log/:id',
  ownGet: 'GET /api/log/self/:id',
  content: 'POST /api/log/:id/content',
  ownContent: 'GET /api/log/self/:id/content',
  totals: 'GET /api/log/stat',
  ownTotals: 'GET /api/log/self/stat',
  download: 'GET /api/log/export',
  ownDownload: 'GET /api/log/self/export',
});
