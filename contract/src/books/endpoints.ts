import { endpoints } from '../endpoint.ts';
import type { billSchemas } from './bill.ts';
import type { booksSchemas } from './books.ts';
import type { whatIfSchemas } from './what-if.ts';

export const booksApi = endpoints<typeof booksSchemas>({
  state: 'GET /api/books',
  run: 'POST /api/books',
});

export const billApi = endpoints<typeof billSchemas>({
  compare: 'POST /api/books/bill',
});

export const whatIfApi = endpoints<typeof whatIfSchemas>({
  list: 'GET /api/what_if',
  start: 'POST /api/what_if',
  get: 'GET /api/what_if/:id',
  cancel: 'POST /api/what_if/:id/cancel',
  remove: 'DELETE /api/what_if/:id',
  download: 'GET /api/what_if/:id/export',
});
