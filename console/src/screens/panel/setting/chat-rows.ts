export interface EditedLink {
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
    return Array.isArray(parsed) ? parsed.map(linkOf) : [];
  } catch {
    // Malformed JSON starts an empty list.
    return [];
  }
}

function linkOf(row: unknown): EditedLink {
  const { name, url, show, sort, embed } = (row ?? {}) as Record<string, unknown>; // values that are not objects have none of these
  return {
    name: typeof name === 'string' ? name : '',
    url: typeof url === 'string' ? url : '',
    show: show === true,
    sort: typeof sort === 'number' ? sort : 0,
    ...(embed === true && { embed }),
  };
}
