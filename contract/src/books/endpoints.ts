import { endpoints } from '../endpoint.ts';
import type { billSchemas } from './bill.ts';
import type { booksSchemas } from './books.ts';

export const booksApi = endpoints<typeof booksSchemas>({
  state: 'GET /api/books',
  run: 'POST /api/books',
});

export const billApi = endpoints<typeof billSchemas>({
  compare: 'POST /api/books/bill',
});
