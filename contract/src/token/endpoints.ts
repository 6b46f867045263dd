import { endpoints } from '../endpoint.ts';
import type { tokenSchemas } from './token.ts';

export const tokenApi = endpoints<typeof tokenSchemas>({
  list: 'GET /api/token/',
  get: 'GET /api/token/:id',
  create: 'POST /api/token/',
  reveal: 'POST /api/token/:id/reveal',
  playground: 'GET /api/token/playground',
  update: 'PUT /api/token/',
  remove: 'DELETE /api/token/:id',
});
