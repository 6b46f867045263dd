import { endpoints } from '../endpoint.ts';
import type { auditSchemas } from './audit.ts';

/** The super administrator sees all entries; administrators see those of administrators. */
export const auditApi = endpoints<typeof auditSchemas>({
  list: 'GET /api/audit',
  get: 'GET /api/audit/:id',
  download: 'GET /api/audit/export',
});
