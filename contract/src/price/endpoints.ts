import { endpoints } from '../endpoint.ts';
import type { priceChangeSchemas } from './price-change.ts';
import type { priceUpdateSchemas } from './price-update.ts';
import type { priceSchemas } from './price.ts';

export const priceChangeApi = endpoints<typeof priceChangeSchemas>({
  list: 'GET /api/prices/changes',
  get: 'GET /api/prices/changes/:id',
  undo: 'POST /api/prices/changes/:id/undo',
});

export const priceUpdateApi = endpoints<typeof priceUpdateSchemas>({
  preview: 'POST /api/prices/update/preview',
  apply: 'POST /api/prices/update/apply',
  sync: 'POST /api/prices/sync',
});

export const priceApi = endpoints<typeof priceSchemas>({
  list: 'GET /api/prices',
  groups: 'GET /api/prices/groups',
  names: 'GET /api/prices/model_list',
  unpriced: 'GET /api/prices/unpriced',
  gaps: 'GET /api/prices/gaps',
  history: 'GET /api/prices/history/:model',
  version: 'GET /api/prices/version/:version',
  create: 'POST /api/prices/single',
  update: 'PUT /api/prices/single/:model',
  remove: 'DELETE /api/prices/single/:model',
  setGroup: 'POST /api/prices/multiple',
  setMany: 'PUT /api/prices/multiple',
  removeMany: 'PUT /api/prices/multiple/delete',
  available: 'GET /api/available_model',
});
