import { endpoints } from '../endpoint.ts';
import type { blockSchemas } from './block.ts';

export const blockApi = endpoints<typeof blockSchemas>({
  list: 'GET /api/block/',
  get: 'GET /api/block/:id',
  create: 'POST /api/block/',
  update: 'PUT /api/block/',
  remove: 'DELETE /api/block/:id',
});
