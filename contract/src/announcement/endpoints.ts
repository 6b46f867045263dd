import { endpoints } from '../endpoint.ts';
import type { announcementSchemas } from './announcement.ts';

export const announcementApi = endpoints<typeof announcementSchemas>({
  list: 'GET /api/announcement/',
  current: 'GET /api/announcement/current',
  get: 'GET /api/announcement/:id',
  create: 'POST /api/announcement/',
  update: 'PUT /api/announcement/',
  remove: 'DELETE /api/announcement/:id',
  unsubscribe: 'POST /api/announcement/unsubscribe/:token',
});
