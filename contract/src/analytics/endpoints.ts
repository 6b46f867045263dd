import { endpoints } from '../endpoint.ts';
import type { analyticsSchemas } from './analytics.ts';
import type { cockpitSchemas } from './cockpit.ts';
import type { dashboardSchemas } from './dashboard.ts';

export const analyticsApi = endpoints<typeof analyticsSchemas>({
  usage: 'GET /api/analytics/usage',
  quality: 'GET /api/analytics/quality',
  ownUsage: 'GET /api/analytics/self/usage',
  ownQuality: 'GET /api/analytics/self/quality',
  ownDownload: 'GET /api/analytics/self/export',
  accounts: 'GET /api/analytics/accounts',
  download: 'GET /api/analytics/export',
  statistics: 'GET /api/analytics/statistics',
  period: 'GET /api/analytics/period',
});

export const dashboardApi = endpoints<typeof dashboardSchemas>({
  own: 'GET /api/dashboard/self',
  hub: 'GET /api/dashboard/',
});

export const cockpitApi = endpoints<typeof cockpitSchemas>({
  live: 'GET /api/dashboard/live',
});
