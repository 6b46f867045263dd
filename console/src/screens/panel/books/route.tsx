import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { booksState } from './books-api.ts';

export const Route = createFileRoute('/panel/books')({
  staticData: { menu: { group: 'billing', order: 90, titleKey: 'books', audience: 'admin' } },
  loader: ({ context }) =>
    loadScreen(context, ['books', 'bill', 'whatIf'], (client) => [client.prefetchQuery(booksState)]),
  component: lazyRouteComponent(() => import('./books-screen.tsx'), 'BooksScreen'),
});
