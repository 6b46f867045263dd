import { endpoints } from '../endpoint.ts';
import type { ledgerSchemas } from './ledger.ts';
import type { statementSchemas } from './statement.ts';

export const ledgerApi = endpoints<typeof ledgerSchemas>({
  ownList: 'GET /api/user/self/ledger',
  ownTotals: 'GET /api/user/self/ledger/stat',
  ownDownload: 'GET /api/user/self/ledger/export',
  list: 'GET /api/ledger/',
  totals: 'GET /api/ledger/stat',
  download: 'GET /api/ledger/export',
  correct: 'POST /api/user/quota/:id',
});

export const statementApi = endpoints<typeof statementSchemas>({
  own: 'GET /api/user/self/statement',
  ownDownload: 'GET /api/user/self/statement/export',
  get: 'GET /api/ledger/statement',
  download: 'GET /api/ledger/statement/export',
  familyMonths: 'GET /api/user/invoice',
  familyMonth: 'GET /api/user/invoice/detail',
});
