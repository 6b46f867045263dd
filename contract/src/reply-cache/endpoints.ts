import { endpoints } from '../endpoint.ts';
import type { replyCacheSchemas } from './reply-cache.ts';

export const replyCacheApi = endpoints<typeof replyCacheSchemas>({
  state: 'GET /api/reply_cache',
  clear: 'DELETE /api/reply_cache',
});
