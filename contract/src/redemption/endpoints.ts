import { endpoints } from '../endpoint.ts';
import type { redemptionSchemas } from './redemption.ts';

export const redemptionApi = endpoints<typeof redemptionSchemas>({
  list: 'GET /api/redemption/',
  totals: 'GET /api/redemption/stat',
  download: 'GET /api/redemption/export',
  get: 'GET /api/redemption/:id',
  create: 'POST /api/redemption/',
  reveal: 'POST /api/redemption/:id/reveal',
  update: 'PUT /api/redemption/',
  remove: 'DELETE /api/redemption/:id',
  restore: 'POST /api/redemption/:id/restore',
  removeInvalid: 'DELETE /api/redemption/invalid',
  redeem: 'POST /api/user/topup',
});
