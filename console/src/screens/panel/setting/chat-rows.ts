export interface EditedLink {
  /** Older consoles of the family need one per row. */
  id: number | string;
  name: string;
  url: string;
  show: boolean;
  sort: number;
  /** May be shown in a frame of the console. */
  embed?: true;
}

/** The rows in the JSON of chat links; empty if it is not a list. */
export function linksIn(text: string): EditedLink[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? withIds(parsed) : [];
  } catch {
    // Malformed JSON starts an empty list.
    return [];
  }
}

function withIds(rows: readonly unknown[]): EditedLink[] {
  const links: EditedLink[] = [];
  for (const row of rows) {
    const { id } = (row ?? {}) as Record<string, unknown>; // values that are not objects have none
    const isFree = (wanted: unknown) => !links.some((link) => link.id === wanted);
    const known = (typeof id === 'number' || typeof id === 'string') && isFree(id) ? id : nextId(links);
    links.push({ id: known, ...linkOf(row) });
  }
  return links;
}

/** An id that no row has. */
export const nextId = (links: readonly EditedLink[]): number =>
  1 + Math.max(0, ...links.map(({ id }) => (typeof id === 'number' ? id : 0)));

function linkOf(row: unknown): Omit<EditedLink, 'id'> {
  const { name, url, show, sort, embed } = (row ?? {}) as Record<string, unknown>; // values that are not objects have none of these
  return {
    name: typeof name === 'string' ? name : '',
    url: typeof url === 'string' ? url : '',
    show: show === true,
    sort: typeof sort === 'number' ? sort : 0,
    ...(embed === true && { embed }),
  };
}
