import { endpoints } from '../endpoint.ts';
import type { botSchemas } from './telegram.ts';

export const botApi = endpoints<typeof botSchemas>({
  list: 'GET /api/option/telegram/',
  status: 'GET /api/option/telegram/status',
  get: 'GET /api/option/telegram/:id',
  save: 'POST /api/option/telegram/',
  reload: 'PUT /api/option/telegram/reload',
  remove: 'DELETE /api/option/telegram/:id',
});
