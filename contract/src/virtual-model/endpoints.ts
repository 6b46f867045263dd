import { endpoints } from '../endpoint.ts';
import type { virtualModelSchemas } from './virtual-model.ts';

export const virtualModelApi = endpoints<typeof virtualModelSchemas>({
  list: 'GET /api/virtual_model/',
  get: 'GET /api/virtual_model/:id',
  versions: 'GET /api/virtual_model/:id/versions',
  create: 'POST /api/virtual_model/',
  update: 'PUT /api/virtual_model/',
  remove: 'DELETE /api/virtual_model/:id',
});
