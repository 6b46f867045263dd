import { endpoints } from '../endpoint.ts';
import type { midjourneySchemas, taskSchemas } from './task.ts';

export const taskApi = endpoints<typeof taskSchemas>({
  list: 'GET /api/task/',
  ownList: 'GET /api/task/self',
  get: 'GET /api/task/:id',
  ownGet: 'GET /api/task/self/:id',
  cancel: 'POST /api/task/:id/cancel',
  ownCancel: 'POST /api/task/self/:id/cancel',
  media: 'GET /api/task/:id/media/:index',
  ownMedia: 'GET /api/task/self/:id/media/:index',
  totals: 'GET /api/task/totals',
  ownTotals: 'GET /api/task/self/totals',
});

export const midjourneyApi = endpoints<typeof midjourneySchemas>({
  list: 'GET /api/mj/',
  ownList: 'GET /api/mj/self',
});
