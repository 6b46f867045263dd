import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { ownersQuery } from '#api/owners.ts';
import { searchOf } from '#api/search-of.ts';

export interface ModelOwnerSearch {
  page: number;
  size: number;
  /** `id` or `name`; a leading minus reverses it. */
  order: string;
  q: string;
  /** The form: `new`, or the id of the edited owner. */
  edit: string;
}

export const Route = createFileRoute('/panel/model_ownedby')({
  staticData: {
    menu: { group: 'manage', parent: 'operation', order: 40, titleKey: 'model_ownedby', audience: 'admin' },
  },
  ...searchOf<ModelOwnerSearch>({ page: 1, size: 30, order: 'id', q: '', edit: '' }),
  loader: ({ context }) => loadScreen(context, ['modelOwner'], (client) => [client.prefetchQuery(ownersQuery)]),
  component: lazyRouteComponent(() => import('./model-owner-screen.tsx'), 'ModelOwnerScreen'),
});
