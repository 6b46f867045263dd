import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isAdmin } from '@relay-hub/contract';

/** Kinds of visitors; preloads differ. */
export type Visitor = 'guest' | 'user' | 'admin';

/** Build output about a page: the files it loads, and its API requests. */
interface PageFiles {
  scripts: string[];
  routes: Record<string, { scripts: string[]; texts: Record<string, string[]>; calls: Record<Visitor, string[]> }>;
}

/** The built page; preloads differ by address. */
export interface ConsolePage {
  /** Hashes of its inline scripts. */
  inline: string[];
  htmlFor: (path: string, visitor: Visitor, plain: boolean) => string;
}

const notBuilt = '<!doctype html><title>Relay Hub</title><p>The console is not built. Run <code>npm run build</code>.';

/** Reads the built page from a folder, or a page that says that nothing is built. */
export function readConsolePage(folder: string): ConsolePage {
  const file = path.join(folder, 'index.html');
  const html = existsSync(file) ? readFileSync(file, 'utf8') : notBuilt;
  const list = path.join(folder, '.vite/routes.json');
  const files = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as PageFiles) : undefined; // written by the build
  return {
    inline: [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(([, text = '']) => hashOf(text)),
    htmlFor: (address, visitor, plain) => (files ? withPreloads(html, { files, address, visitor, plain }) : html),
  };
}

export const visitorOf = (viewer: { role: number } | undefined): Visitor =>
  viewer === undefined ? 'guest' : isAdmin(viewer.role) ? 'admin' : 'user';

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

interface RequestedPage {
  files: PageFiles;
  address: string;
  visitor: Visitor;
  /** An address without a search; only then are the requests of its list known. */
  plain: boolean;
}

function withPreloads(html: string, { files, address, visitor, plain }: RequestedPage): string {
  const route = files.routes[shownAt(address, visitor)];
  if (!route) return html;
  const scripts = route.scripts.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`);
  const calls = route.calls[visitor].filter((call) => plain || !call.includes('?'));
  const fetches = calls.map((call) => `<link rel="preload" as="fetch" crossorigin href="${escaped(call)}">`);
  const texts = Object.entries(route.texts).map(([language, names]) => [language, names.map((name) => `/${name}`)]);
  return html
    .replace('<html ', `<html data-texts="${escaped(JSON.stringify(Object.fromEntries(texts)))}" `)
    .replace('</title>', `</title>${[...fetches, ...scripts].join('')}`);
}

/** The page that the console will show for an address. */
function shownAt(address: string, visitor: Visitor): string {
  const clean = address.length > 1 ? address.replace(/\/$/, '') : address;
  if (visitor === 'guest' && /^\/panel(\/|$)/.test(clean)) return '/login';
  if (visitor !== 'guest' && clean === '/login') return '/panel';
  return clean;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
