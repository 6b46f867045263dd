import { endpoints } from '../endpoint.ts';
import type { limitSchemas } from './limit.ts';

export const limitApi = endpoints<typeof limitSchemas>({
  self: 'GET /api/user/limits',
  get: 'GET /api/user/:id/limits',
  set: 'PUT /api/user/:id/limits',
});
