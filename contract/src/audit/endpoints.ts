import { endpoints } from '../endpoint.ts';
import type { auditSchemas } from './audit.ts';

/** Newest first. The super administrator sees all; administrators see what administrators did. */
export const auditApi = endpoints<typeof auditSchemas>({
  list: 'GET /api/audit',
  get: 'GET /api/audit/:id',
  download: 'GET /api/audit/export',
});
