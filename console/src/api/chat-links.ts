import { configPayloads, type ChatFacts } from './chat-payloads.ts';

/** A chat client that opens with an API key and this site's address filled in. */
export interface ChatLink {
  name: string;
  /** A template with placeholders, see `chatAddress`. */
  url: string;
  /** May be shown in a frame of the console. */
  embed: boolean;
}

interface Entry {
  name: string;
  url: string;
  show?: unknown;
  sort?: unknown;
  embed?: unknown;
}

/** The chat clients that a site offers, highest `sort` first; `json` is the site's `chat_links`. */
export function shownLinks(json: string): ChatLink[] {
  return linksOf(json)
    .filter(({ url, show }) => show === true && isOpenable(url))
    .toSorted((a, b) => rank(b) - rank(a))
    .map(({ name, url, embed }) => ({ name, url, embed: embed === true && isWeb(url) }));
}

/** The apps among all chat clients of a site, shown or not, by their URL scheme with its colon: `opencat:` → OpenCat. */
export function chatApps(json: string): Map<string, string> {
  const apps = new Map<string, string>();
  for (const { name, url } of linksOf(json)) {
    const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase();
    if (scheme && isOpenable(url) && !isWeb(url) && !apps.has(scheme)) apps.set(scheme, name);
  }
  return apps;
}

function linksOf(json: string): Entry[] {
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

/** Any app's scheme, but never one that runs a script or opens a file. */
const isOpenable = (url: string) =>
  /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^(javascript|data|vbscript|file|blob|about):/i.test(url);

const rank = ({ sort }: Entry): number => (typeof sort === 'number' ? sort : 0);

export const isWeb = (url: string): boolean => /^https?:/i.test(url);

/** Where a key goes: the host of the site that opens, or the scheme of the app, as `opencat://`. */
export const destinationOf = (url: string): string =>
  isWeb(url) && URL.canParse(url) ? new URL(url).host : `${url.split(':', 1)[0]}://`;

/** Whether a web link has the key in its query, which that site's server log gets; a fragment stays in the browser. */
export const hasKeyInQuery = (url: string): boolean =>
  isWeb(url) && /\{(key|\w+Config)\}/.test(url.split('#', 1)[0] ?? '');

/**
 * The address to open: `{key}`, `{server}` or `{address}`, `{model}`, and the `{…Config}` payloads of single apps are
 * replaced wherever they occur.
 */
export function chatAddress({ url }: Pick<ChatLink, 'url'>, facts: ChatFacts): string {
  const payloads = configPayloads(facts);
  const server = encodeURIComponent(facts.server);
  const values: Readonly<Record<string, string>> = {
    key: facts.key,
    server,
    address: server,
    model: encodeURIComponent(facts.model),
    ...payloads,
  };
  return url.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? all) : all,
  );
}

/**
 * Opens an address that is only known once the key is fetched; false when the browser blocked the tab. The tab opens
 * first, since browsers allow a new tab only during the press itself. Apps need no tab.
 */
export async function openAddress(load: () => Promise<string>, web: boolean): Promise<boolean> {
  if (!web) {
    location.assign(await load());
    return true;
  }
  const tab = window.open('about:blank', '_blank');
  if (!tab) return false;
  tab.opener = null;
  try {
    tab.location.replace(await load());
  } catch (error) {
    tab.close();
    throw error;
  }
  return true;
}
