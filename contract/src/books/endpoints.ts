import { endpoints } from '../endpoint.ts';
import type { booksSchemas } from './books.ts';

export const booksApi = endpoints<typeof booksSchemas>({
  state: 'GET /api/books',
  run: 'POST /api/books',
});
