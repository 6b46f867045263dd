/** The path of a page of this site, or undefined: no open redirect. */
export function safeRedirect(target: unknown): string | undefined {
  if (typeof target !== 'string' || !/^\/(?![/\\])/.test(target)) return undefined;
  if (!URL.canParse(target, location.origin)) return undefined;
  const url = new URL(target, location.origin);
  return url.origin === location.origin && url.pathname !== '/login' ? url.pathname + url.search + url.hash : undefined;
}
