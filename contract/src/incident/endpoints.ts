import { endpoints } from '../endpoint.ts';
import type { incidentSchemas } from './incident.ts';
import type { waySchemas } from './way.ts';

export const incidentApi = endpoints<typeof incidentSchemas>({
  list: 'GET /api/incident/',
  summary: 'GET /api/incident/summary',
  months: 'GET /api/incident/months',
  get: 'GET /api/incident/:id',
  update: 'PUT /api/incident/:id',
});

export const wayApi = endpoints<typeof waySchemas>({
  list: 'GET /api/way/',
  create: 'POST /api/way/',
  update: 'PUT /api/way/',
  remove: 'DELETE /api/way/:id',
  test: 'POST /api/way/:id/test',
  confirm: 'POST /api/way/:id/confirm',
  deliveries: 'GET /api/way/:id/delivery',
  replay: 'POST /api/way/:id/delivery/:delivery',
});
