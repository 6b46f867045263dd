import type { ModelOwner, Page } from '@relay-hub/contract';

interface OwnerQuery {
  page: number;
  size: number;
  order: string;
  q: string;
}

/** One page of the owners as the address asks for it; the whole list is loaded. */
export function ownerPage(owners: readonly ModelOwner[], { page, size, order, q }: OwnerQuery): Page<ModelOwner> {
  const word = q.toLowerCase();
  const found = owners.filter(({ id, name }) => name.toLowerCase().includes(word) || String(id).startsWith(word));
  const sign = order.startsWith('-') ? -1 : 1;
  const byName = order.replace('-', '') === 'name';
  const sorted = found.toSorted((a, b) => sign * (byName ? a.name.localeCompare(b.name) : a.id - b.id));
  return { data: sorted.slice((page - 1) * size, page * size), page, size, total_count: sorted.length };
}
