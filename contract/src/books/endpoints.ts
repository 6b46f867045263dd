import { endpoints } from '../endpoint.ts';
import type { billSourceSchemas } from './bill-source.ts';
import type { billSchemas } from './bill.ts';
import type { booksSchemas } from './books.ts';
import type { usageExportSchemas } from './usage-export.ts';
import type { whatIfSchemas } from './what-if.ts';

export const booksApi = endpoints<typeof booksSchemas>({
  state: 'GET /api/books',
  run: 'POST /api/books',
});

export const billApi = endpoints<typeof billSchemas>({
  compare: 'POST /api/books/bill',
  list: 'GET /api/books/bills',
  save: 'POST /api/books/bills',
  get: 'GET /api/books/bills/:id',
  close: 'POST /api/books/bills/:id/close',
  reopen: 'POST /api/books/bills/:id/reopen',
  remove: 'DELETE /api/books/bills/:id',
});

export const whatIfApi = endpoints<typeof whatIfSchemas>({
  list: 'GET /api/what_if',
  start: 'POST /api/what_if',
  get: 'GET /api/what_if/:id',
  cancel: 'POST /api/what_if/:id/cancel',
  remove: 'DELETE /api/what_if/:id',
  download: 'GET /api/what_if/:id/export',
});

export const billSourceApi = endpoints<typeof billSourceSchemas>({
  list: 'GET /api/books/bill_sources',
  create: 'POST /api/books/bill_sources',
  update: 'PUT /api/books/bill_sources/:id',
  remove: 'DELETE /api/books/bill_sources/:id',
  fetch: 'POST /api/books/bill_sources/:id/fetch',
});

export const usageExportApi = endpoints<typeof usageExportSchemas>({
  list: 'GET /api/books/usage_exports',
  create: 'POST /api/books/usage_exports',
  update: 'PUT /api/books/usage_exports/:id',
  remove: 'DELETE /api/books/usage_exports/:id',
  test: 'POST /api/books/usage_exports/:id/test',
  restart: 'POST /api/books/usage_exports/:id/restart',
  retry: 'POST /api/books/usage_exports/:id/retry',
});
