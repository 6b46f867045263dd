import { endpoints } from '../endpoint.ts';
import type { userAdminSchemas } from './user-admin.ts';
import type { userGroupSchemas } from './user-group.ts';
import type { userSchemas } from './user.ts';

export const userAdminApi = endpoints<typeof userAdminSchemas>({
  list: 'GET /api/user/',
  inviters: 'GET /api/user/inviters',
  get: 'GET /api/user/:id',
  create: 'POST /api/user/',
  update: 'PUT /api/user/',
  manage: 'POST /api/user/manage',
  closing: 'GET /api/user/:id/closing',
  remove: 'DELETE /api/user/:id',
  restore: 'POST /api/user/:id/restore',
  endSessions: 'DELETE /api/user/:id/sessions',
});

export const userGroupApi = endpoints<typeof userGroupSchemas>({
  list: 'GET /api/user_group/',
  get: 'GET /api/user_group/:id',
  create: 'POST /api/user_group/',
  update: 'PUT /api/user_group/',
  toggle: 'PUT /api/user_group/enable/:id',
  remove: 'DELETE /api/user_group/:id',
  symbols: 'GET /api/group/',
  map: 'GET /api/user_group_map',
});

export const userApi = endpoints<typeof userSchemas>({
  login: 'POST /api/user/login',
  logout: 'GET /api/user/logout',
  self: 'GET /api/user/self',
  dashboard: 'GET /api/user/dashboard',
});
