import { endpoints } from '../endpoint.ts';
import type { planAdminSchemas, planSchemas } from './plan.ts';

export const planApi = endpoints<typeof planSchemas>({
  offers: 'GET /api/plan/offers',
  mine: 'GET /api/plan/self',
  buy: 'POST /api/plan/self',
  set: 'PUT /api/plan/self/:id',
  change: 'POST /api/plan/self/:id/change',
});

export const planAdminApi = endpoints<typeof planAdminSchemas>({
  list: 'GET /api/plan/',
  get: 'GET /api/plan/:id',
  create: 'POST /api/plan/',
  update: 'PUT /api/plan/:id',
  remove: 'DELETE /api/plan/:id',
  subscriptions: 'GET /api/plan/:id/subscriptions',
  give: 'POST /api/plan/:id/subscriptions',
  manage: 'POST /api/plan/subscriptions/:id/manage',
});
