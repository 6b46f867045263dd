import { endpoints } from '../endpoint.ts';
import type { scimSchemas } from './scim.ts';

/** Identity providers that manage accounts and groups by SCIM 2.0 at `/scim/v2`. */
export const scimApi = endpoints<typeof scimSchemas>({
  list: 'GET /api/scim/',
  create: 'POST /api/scim/',
  update: 'PUT /api/scim/:id',
  rotate: 'POST /api/scim/:id/rotate',
  remove: 'DELETE /api/scim/:id',
  groups: 'GET /api/scim/groups',
});
