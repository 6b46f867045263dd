import { endpoints } from '../endpoint.ts';
import type { tokenAdminSchemas } from './token-admin.ts';
import type { tokenSchemas } from './token.ts';

export const tokenApi = endpoints<typeof tokenSchemas>({
  list: 'GET /api/token/',
  get: 'GET /api/token/:id',
  create: 'POST /api/token/',
  reveal: 'POST /api/token/:id/reveal',
  playground: 'GET /api/token/playground',
  update: 'PUT /api/token/',
  remove: 'DELETE /api/token/:id',
  rotate: 'POST /api/token/:id/rotate',
  revokeOldKey: 'DELETE /api/token/:id/old_key',
  tags: 'GET /api/token/tags',
});

export const tokenAdminApi = endpoints<typeof tokenAdminSchemas>({
  list: 'GET /api/token/all',
  get: 'GET /api/token/all/:id',
  update: 'PUT /api/token/all/:id',
  transfer: 'POST /api/token/all/:id/transfer',
});
