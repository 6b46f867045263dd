export interface EditedLink {
  name: string;
  url: string;
  show: boolean;
  sort: number;
}

/** The rows in the JSON of chat links; none where it is not a list. */
export function linksIn(text: string): EditedLink[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.map(linkOf) : [];
  } catch {
    return [];
  }
}

function linkOf(row: unknown): EditedLink {
  const { name, url, show, sort } = (row ?? {}) as Record<string, unknown>; // anything that is no object has none of these
  return {
    name: typeof name === 'string' ? name : '',
    url: typeof url === 'string' ? url : '',
    show: show === true,
    sort: typeof sort === 'number' ? sort : 0,
  };
}
