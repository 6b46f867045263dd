import { endpoints } from '../endpoint.ts';
import type { statusPageSchemas } from './status-page.ts';

export const statusPageApi = endpoints<typeof statusPageSchemas>({
  get: 'GET /api/status_page/',
  jsonFeed: 'GET /api/status_page/feed.json',
  atomFeed: 'GET /api/status_page/feed.atom',
  incidents: 'GET /api/status_page/incident',
  publish: 'PUT /api/status_page/incident/:id',
});
