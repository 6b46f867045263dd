import type { ModelOwner, Page } from '@relay-hub/contract';

interface Wanted {
  page: number;
  size: number;
  order: string;
  q: string;
}

/** One page of the owners as the address asks for it; the whole list is loaded. */
export function ownerPage(owners: readonly ModelOwner[], { page, size, order, q }: Wanted): Page<ModelOwner> {
  const word = q.toLowerCase();
  const found = owners.filter(({ id, name }) => name.toLowerCase().includes(word) || String(id).startsWith(word));
  const way = order.startsWith('-') ? -1 : 1;
  const byName = order.replace('-', '') === 'name';
  const sorted = found.toSorted((a, b) => way * (byName ? a.name.localeCompare(b.name) : a.id - b.id));
  return { data: sorted.slice((page - 1) * size, page * size), page, size, total_count: sorted.length };
}
