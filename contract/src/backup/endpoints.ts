import { endpoints } from '../endpoint.ts';
import type { backupSchemas } from './backup.ts';

export const backupApi = endpoints<typeof backupSchemas>({
  list: 'GET /api/backup',
  start: 'POST /api/backup',
  link: 'POST /api/backup/:id/link',
  download: 'GET /api/backup/download',
  remove: 'DELETE /api/backup/:id',
});
