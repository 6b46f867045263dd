import { endpoints } from '../endpoint.ts';
import type { channelBatchSchemas } from './channel-batch.ts';
import type { channelCheckSchemas } from './channel-check.ts';
import type { channelJobSchemas } from './channel-job.ts';
import type { channelKeySchemas } from './channel-key.ts';
import type { channelTagSchemas } from './channel-tag.ts';
import type { channelSchemas } from './channel.ts';
import type { purchasePriceSchemas } from './purchase-price.ts';
import type { routeSchemas } from './route.ts';

export const channelBatchApi = endpoints<typeof channelBatchSchemas>({
  preview: 'POST /api/channel/batch/preview',
  apply: 'PUT /api/channel/batch',
  undo: 'POST /api/channel/batch/undo',
  remove: 'DELETE /api/channel/batch',
  replaceApiVersion: 'PUT /api/channel/batch/azure_api',
  removeModel: 'PUT /api/channel/batch/del_model',
  removeDisabled: 'DELETE /api/channel/disabled',
});

export const channelCheckApi = endpoints<typeof channelCheckSchemas>({
  check: 'POST /api/sse/channel/check',
  image: 'GET /api/image/:id',
});

export const channelJobApi = endpoints<typeof channelJobSchemas>({
  list: 'GET /api/channel/jobs',
  testAll: 'GET /api/channel/test',
  testSome: 'POST /api/channel/test',
  updateBalances: 'GET /api/channel/update_balance',
  updateBalance: 'GET /api/channel/update_balance/:id',
  cancel: 'DELETE /api/channel/jobs/:kind',
});

export const channelKeyApi = endpoints<typeof channelKeySchemas>({
  list: 'GET /api/channel/:id/keys',
  add: 'POST /api/channel/:id/keys',
  update: 'PUT /api/channel/:id/keys/:key',
  remove: 'DELETE /api/channel/:id/keys/:key',
  test: 'POST /api/channel/:id/keys/:key/test',
});

export const channelTagApi = endpoints<typeof channelTagSchemas>({
  names: 'GET /api/channel_tag/_all',
  list: 'GET /api/channel_tag/',
  get: 'GET /api/channel_tag/:tag',
  members: 'GET /api/channel_tag/:tag/list',
  update: 'PUT /api/channel_tag/:tag',
  setPriority: 'PUT /api/channel_tag/:tag/priority',
  setStatus: 'PUT /api/channel_tag/:tag/status/:status',
  remove: 'DELETE /api/channel_tag/:tag',
  removeDisabled: 'DELETE /api/channel_tag/:tag/disabled',
});

export const channelApi = endpoints<typeof channelSchemas>({
  list: 'GET /api/channel/',
  get: 'GET /api/channel/:id',
  create: 'POST /api/channel/',
  update: 'PUT /api/channel/',
  remove: 'DELETE /api/channel/:id',
  untag: 'DELETE /api/channel/:id/tag',
  served: 'GET /api/channel/:id/served',
  unfreeze: 'PUT /api/channel/:id/unfreeze',
  clearUsageWarning: 'PUT /api/channel/:id/clear_usage_warning',
  test: 'GET /api/channel/test/:id',
  types: 'GET /api/channel/types',
  health: 'GET /api/channel/health',
  providerModels: 'POST /api/channel/provider_models_list',
});

export const purchasePriceApi = endpoints<typeof purchasePriceSchemas>({
  list: 'GET /api/channel/:id/purchase_prices',
  set: 'PUT /api/channel/:id/purchase_prices',
  offers: 'GET /api/channel/purchase_offers',
});

export const routeApi = endpoints<typeof routeSchemas>({
  explain: 'POST /api/route/explain',
});
