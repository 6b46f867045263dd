import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isAdmin } from '@relay-hub/contract';

/** Who asks for a page: it is made ready for what such a visitor will see there. */
export type Visitor = 'guest' | 'user' | 'admin';

/** What the console's build says of a page: which files it loads, and what it asks the API. */
interface PageFiles {
  scripts: string[];
  routes: Record<string, { scripts: string[]; texts: Record<string, string[]>; calls: Record<Visitor, string[]> }>;
}

/** The built page, which differs by its address in what the browser is told to load at once. */
export interface ConsolePage {
  /** Hashes of the scripts that are written into it. */
  inline: string[];
  htmlFor: (path: string, visitor: Visitor, plain: boolean) => string;
}

const notBuilt = '<!doctype html><title>Relay Hub</title><p>The console is not built. Run <code>npm run build</code>.';

/** Reads the built console's page from its folder; one that says so where nothing is built. */
export function readConsolePage(folder: string): ConsolePage {
  const file = path.join(folder, 'index.html');
  const html = existsSync(file) ? readFileSync(file, 'utf8') : notBuilt;
  const list = path.join(folder, '.vite/routes.json');
  const files = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as PageFiles) : undefined; // written by the build
  return {
    inline: [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(([, text = '']) => hashOf(text)),
    htmlFor: (address, visitor, plain) => (files ? withPreloads(html, files, address, visitor, plain) : html),
  };
}

export const visitorOf = (viewer: { role: number } | undefined): Visitor =>
  viewer === undefined ? 'guest' : isAdmin(viewer.role) ? 'admin' : 'user';

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** `plain` is an address without a search: only then is it known what its list will be asked. */
function withPreloads(html: string, files: PageFiles, address: string, visitor: Visitor, plain: boolean): string {
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

/** Where the console will lead a visitor who asks for an address. */
function shownAt(address: string, visitor: Visitor): string {
  const asked = address.length > 1 ? address.replace(/\/$/, '') : address;
  if (visitor === 'guest' && /^\/panel(\/|$)/.test(asked)) return '/login';
  if (visitor !== 'guest' && asked === '/login') return '/panel';
  return asked;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
