import { version } from '#version.ts';

/** What the server calls itself; many hosts refuse requests that name nobody. */
export const userAgent = `relay-hub/${version}`;

/** Headers that name a client: the server, unless they name another. */
export function withUserAgent(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const named = Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent');
  return named ? { ...headers } : { 'user-agent': userAgent, ...headers };
}
