import { endpoints } from '../endpoint.ts';
import type { newApiSchemas } from './new-api.ts';

/** Routes of new-api that its tools ask for, with that program's names and units. */
export const newApi = endpoints<typeof newApiSchemas>({
  tokenKey: 'POST /api/token/:id/key',
  tokenKeys: 'POST /api/token/batch/keys',
  models: 'GET /api/user/models',
  groups: 'GET /api/user/self/groups',
  pricing: 'GET /api/pricing',
  ratios: 'GET /api/ratio_config',
});
