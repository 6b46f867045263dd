import { endpoints } from '../endpoint.ts';
import type { ledgerSchemas } from './ledger.ts';

export const ledgerApi = endpoints<typeof ledgerSchemas>({
  ownList: 'GET /api/user/self/ledger',
  ownTotals: 'GET /api/user/self/ledger/stat',
  ownDownload: 'GET /api/user/self/ledger/export',
  list: 'GET /api/ledger/',
  totals: 'GET /api/ledger/stat',
  download: 'GET /api/ledger/export',
  correct: 'POST /api/user/quota/:id',
});
