import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isAdmin, role } from '@relay-hub/contract';

/** Kinds of visitors; what a page begins with differs. */
export type Visitor = 'guest' | 'user' | 'admin' | 'root';

/** Build output about pages: the files they load, and their API requests. */
interface PageFiles {
  scripts: string[];
  routes: Record<string, { scripts: string[]; texts: Record<string, string>; calls: Record<Visitor, string[]> }>;
}

/** How a page was requested. */
export interface PageRequest {
  /** Path of the address. */
  address: string;
  visitor: Visitor;
  /** Without a search; only then are the requests of its list known. */
  isPlain: boolean;
  /** IANA time zone of the visitor; undefined until a page has set its cookie. */
  timeZone: string | undefined;
}

/** The built page; its links differ by address. */
export interface ConsolePage {
  /** Hashes of its inline scripts. */
  inline: string[];
  openAt: (request: PageRequest) => OpenedPage;
}

interface OpenedPage {
  /** Everything that the browser can begin with. */
  start: string;
  end: string;
  /** Addresses of the GET requests that the page begins with. */
  calls: string[];
}

const notBuilt = '<!doctype html><title>Relay Hub</title><p>The console is not built. Run <code>npm run build</code>.';

/** Reads the built page from a folder, or a page that says that nothing is built. Its files are below the base path. */
export function readConsolePage(folder: string, basePath: string): ConsolePage {
  const file = path.join(folder, 'index.html');
  const html = below(basePath, existsSync(file) ? readFileSync(file, 'utf8') : notBuilt);
  const list = path.join(folder, '.vite/routes.json');
  const files = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as PageFiles) : undefined; // written by the build
  const endsAt = Math.max(html.lastIndexOf('</body>'), 0);
  const [start, end] = [html.slice(0, endsAt), html.slice(endsAt)];
  const routes = new Map(
    Object.entries(files?.routes ?? {}).map(([address, route]) => [
      address,
      { start: withLinks(start, route, basePath), calls: route.calls },
    ]),
  );
  return {
    inline: [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(([, text = '']) => hashOf(text)),
    openAt: (request) => {
      const route = routes.get(shownAt(request.address, request.visitor));
      const calls = route?.calls[request.visitor] ?? [];
      return { start: route?.start ?? start, end, calls: calls.flatMap((call) => callFor(call, request)) };
    },
  };
}

export function visitorOf(viewer: { role: number } | undefined): Visitor {
  if (viewer === undefined) return 'guest';
  if (viewer.role >= role.root) return 'root';
  return isAdmin(viewer.role) ? 'admin' : 'user';
}

/** A request as the page will make it; none if that depends on what only the browser knows. */
function callFor(call: string, { isPlain, timeZone }: PageRequest): string[] {
  // The build recorded its own time zone.
  const zone = /(?<=[?&]time_zone=)[^&]*/;
  if (zone.test(call)) return isPlain && timeZone !== undefined ? [call.replace(zone, encode(timeZone))] : [];
  return isPlain || !call.includes('?') ? [call] : [];
}

/** As `URLSearchParams` encodes a value, which the browser uses. */
const encode = (value: string): string => new URLSearchParams({ '': value }).toString().slice(1);

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** The built page has addresses of the root; its scripts read the base path from the page. */
const below = (basePath: string, html: string): string =>
  basePath === ''
    ? html
    : html.replace('<html ', `<html data-base="${basePath}" `).replaceAll(/(?<= (?:href|src)=")(?=\/[^/])/g, basePath);

function withLinks(html: string, { scripts, texts }: PageFiles['routes'][string], basePath: string): string {
  const links = scripts.map((file) => `<link rel="modulepreload" crossorigin href="${basePath}/${file}">`);
  const files = Object.entries(texts).map(([language, file]) => [language, `${basePath}/${file}`]);
  return html
    .replace('<html ', `<html data-texts="${escaped(JSON.stringify(Object.fromEntries(files)))}" `)
    .replace('</title>', `</title>${links.join('')}`);
}

/** The page that the console will show for an address. */
function shownAt(address: string, visitor: Visitor): string {
  const clean = address.length > 1 ? address.replace(/\/$/, '') : address;
  if (visitor === 'guest' && /^\/panel(\/|$)/.test(clean)) return '/login';
  if (visitor !== 'guest' && clean === '/login') return '/panel';
  return clean;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
