import { endpoints } from '../endpoint.ts';
import type { guardSchemas } from './guard.ts';

export const guardApi = endpoints<typeof guardSchemas>({
  list: 'GET /api/guard/',
  get: 'GET /api/guard/:id',
  create: 'POST /api/guard/',
  update: 'PUT /api/guard/',
  remove: 'DELETE /api/guard/:id',
  test: 'POST /api/guard/test',
});
