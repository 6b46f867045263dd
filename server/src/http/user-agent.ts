import { productVersion } from '#version.ts';

/** User agent of the server. Many hosts refuse requests without one. */
export const userAgent = `relay-hub/${productVersion}`;

/** Headers with the server's user agent, unless they name another. */
export function withUserAgent(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const named = Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent');
  return named ? { ...headers } : { 'user-agent': userAgent, ...headers };
}
