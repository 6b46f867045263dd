import { endpoints } from '../endpoint.ts';
import type { analyticsSchemas } from './analytics.ts';
import type { dashboardSchemas } from './dashboard.ts';

export const analyticsApi = endpoints<typeof analyticsSchemas>({
  usage: 'GET /api/analytics/usage',
  accounts: 'GET /api/analytics/accounts',
  download: 'GET /api/analytics/export',
  statistics: 'GET /api/analytics/statistics',
  period: 'GET /api/analytics/period',
});

export const dashboardApi = endpoints<typeof dashboardSchemas>({
  own: 'GET /api/dashboard/self',
  hub: 'GET /api/dashboard/',
});
