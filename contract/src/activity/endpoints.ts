import { endpoints } from '../endpoint.ts';
import type { activitySchemas } from './activity.ts';

export const activityApi = endpoints<typeof activitySchemas>({
  channel: 'GET /api/activity/channel/:id',
  user: 'GET /api/activity/user/:id',
  model: 'GET /api/activity/model',
  token: 'GET /api/activity/token/:id',
  ownToken: 'GET /api/activity/own_token/:id',
});
