/** A chat client that opens with an API key and this site's address filled in. */
export interface ChatLink {
  name: string;
  /** With `{key}` and `{server}` in it. */
  url: string;
}

interface Entry extends ChatLink {
  show?: unknown;
  sort?: unknown;
}

/** The chat clients that a site offers, highest `sort` first; `json` is the site's `chat_links`. */
export function shownLinks(json: string): ChatLink[] {
  return entriesIn(json)
    .filter(({ url, show }) => show === true && isOpenable(url))
    .toSorted((a, b) => rank(b) - rank(a));
}

function entriesIn(json: string): Entry[] {
  try {
    const parsed: unknown = JSON.parse(json);
    return Array.isArray(parsed) ? parsed.filter(isEntry) : [];
  } catch {
    // A setting that is no JSON offers no clients.
    return [];
  }
}

const isEntry = (entry: unknown): entry is Entry =>
  typeof entry === 'object' &&
  entry !== null &&
  'name' in entry &&
  'url' in entry &&
  typeof entry.name === 'string' &&
  typeof entry.url === 'string';

/** Any app's scheme, but never a script. */
const isOpenable = (url: string) => /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^(javascript|data|vbscript):/i.test(url);

const rank = ({ sort }: Entry): number => (typeof sort === 'number' ? sort : 0);

/** The address to open. `server` is this site's address with its scheme. */
export const chatAddress = ({ url }: ChatLink, key: string, server: string): string =>
  url.replaceAll('{key}', () => key).replaceAll('{server}', () => encodeURIComponent(server));

/**
 * Opens a chat client; false when the browser blocked the tab. The tab opens before the key is fetched, since
 * browsers allow a new tab only during the press itself.
 */
export async function openChat(link: ChatLink, loadKey: () => Promise<string>, server: string): Promise<boolean> {
  // Native apps need no tab.
  if (!/^https?:/i.test(link.url)) {
    location.assign(chatAddress(link, await loadKey(), server));
    return true;
  }
  const tab = window.open('about:blank', '_blank');
  if (!tab) return false;
  tab.opener = null;
  try {
    tab.location.replace(chatAddress(link, await loadKey(), server));
  } catch (error) {
    tab.close();
    throw error;
  }
  return true;
}
