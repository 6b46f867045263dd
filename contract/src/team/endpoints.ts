import { endpoints } from '../endpoint.ts';
import type { teamAdminSchemas, teamSchemas } from './team.ts';

/** Teams of the person who is signed in. */
export const teamApi = endpoints<typeof teamSchemas>({
  list: 'GET /api/team/',
  create: 'POST /api/team/',
  get: 'GET /api/team/:id',
  update: 'PUT /api/team/:id',
  remove: 'DELETE /api/team/:id',
  members: 'GET /api/team/:id/members',
  updateMember: 'PUT /api/team/:id/members/:user',
  removeMember: 'DELETE /api/team/:id/members/:user',
  offer: 'POST /api/team/:id/owner',
  accept: 'POST /api/team/:id/owner/accept',
  handOver: 'POST /api/team/:id/tokens/:token/holder',
  move: 'POST /api/team/:id/credits',
  limits: 'GET /api/team/:id/limits',
  setLimits: 'PUT /api/team/:id/limits',
  audit: 'GET /api/team/:id/audit',
  invites: 'GET /api/team/:id/invites',
  invite: 'POST /api/team/:id/invites',
  removeInvite: 'DELETE /api/team/:id/invites/:invite',
  readInvite: 'POST /api/team/invite',
  answerInvite: 'POST /api/team/invite/answer',
});

export const teamAdminApi = endpoints<typeof teamAdminSchemas>({
  list: 'GET /api/team/all',
  download: 'GET /api/team/all/export',
  get: 'GET /api/team/all/:id',
  update: 'PUT /api/team/all/:id',
  setOwner: 'PUT /api/team/all/:id/owner',
});
