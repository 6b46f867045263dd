import { endpoints } from '../endpoint.ts';
import type { launchSchemas } from './launch.ts';
import type { systemSchemas } from './system.ts';
import type { modelOwnerSchemas } from './model-owner.ts';
import type { optionSchemas } from './option.ts';
import type { siteSchemas } from './site.ts';

export const modelOwnerApi = endpoints<typeof modelOwnerSchemas>({
  get: 'GET /api/model_ownedby/:id',
  create: 'POST /api/model_ownedby/',
  update: 'PUT /api/model_ownedby/',
  remove: 'DELETE /api/model_ownedby/:id',
});

export const systemApi = endpoints<typeof systemSchemas>({ get: 'GET /api/system/' });

export const launchApi = endpoints<typeof launchSchemas>({
  get: 'GET /api/launch',
  update: 'PUT /api/launch',
});

export const optionApi = endpoints<typeof optionSchemas>({
  list: 'GET /api/option/',
  set: 'PUT /api/option/',
  setMany: 'PUT /api/option/batch',
  allowAddress: 'POST /api/option/private_networks',
  history: 'GET /api/option/history',
  restore: 'POST /api/option/history/:id/restore',
  testMail: 'POST /api/option/mail_test',
  addPicture: 'POST /api/option/picture',
  checkOidc: 'POST /api/option/oidc_check',
  checkUpdate: 'POST /api/option/update_check',
  newerVersion: 'GET /api/option/newer_version',
});

export const siteApi = endpoints<typeof siteSchemas>({
  status: 'GET /api/status',
  notice: 'GET /api/notice',
  about: 'GET /api/about',
  home: 'GET /api/home_page_content',
  owners: 'GET /api/model_ownedby/',
  ownerMap: 'GET /api/ownedby',
});
